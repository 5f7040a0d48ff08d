-- Pacing as a bucket of allowances: time fills it at the rate at which the line item should
-- deliver, a selection takes one, and a reservation that ended without an impression gives its
-- allowance back (account_release). docs/pacing.md explains it.
--
-- Time is the publisher's traffic: a pacing day runs from 0 to 1 as its traffic passes, so "evenly"
-- means evenly over the traffic. `curve` has hour_start_ms, share_before and share_of_hour, by the
-- replica's clock; `now` is Redis's clock.
--
-- Even fills at what is left of today's goal over what is left of today: after a quiet hour the
-- rest is spread over the day and not served in a burst. PID corrects that rate once a minute by
-- how many hours it is behind the straight line of its day. Gains are per hour, so traffic does not
-- change them. The output stays within 0 and MAX_RATE times the day's even rate, so a backlog
-- cannot become a burst.
local MS_PER_HOUR = 3600000
local SAMPLE_MS = 60000
-- The bucket holds one allowance, and one more or a minute's worth. Ten minutes that begin with a
-- full bucket come to 1.485 times the even rate.
local BUCKET_MS = 60000
local MAX_RATE = 1.35
-- The integral carries at most this part of the rate, and a time without requests counts as at most
-- this many hours of error.
local MAX_INTEGRAL = 0.5
local MAX_STEP_HOURS = 0.25
-- The derivative covers about the last ten minutes: one impression more or less in a minute is not
-- a trend.
local SLOPE_HOURS = 1 / 6
-- A larger error is a backlog to work off; integrating it would only lead to an overshoot.
local MAX_BIAS_HOURS = 0.25
-- The share of a day below which no rate is derived: its last ten seconds must not cause a burst.
local MIN_SPAN = 1 / 8640

local function clamp(x, min, max)
  return math.min(math.max(x, min), max)
end

-- The position of `now` in the pacing day of a candidate: the share that has passed, the share that
-- passes in a millisecond, and the day's length in hours. When the flight ends before midnight, the
-- curve up to its end is not known here, so that day runs by the clock.
local function pacing_day(now, curve, flight_end)
  local start = math.floor(now / MS_PER_DAY) * MS_PER_DAY
  if flight_end < start + MS_PER_DAY then
    local length = math.max(flight_end - start, 1)
    return math.min((now - start) / length, 1), 1 / length, length / MS_PER_HOUR
  end
  -- Around midnight a replica's clock may be in the day before or after.
  if curve.hour_start_ms < start then
    return 0, 1 / MS_PER_DAY, 24
  elseif curve.hour_start_ms >= start + MS_PER_DAY then
    return 1, 1 / MS_PER_DAY, 24
  end
  local passed = clamp((now - curve.hour_start_ms) / MS_PER_HOUR, 0, 1)
  return math.min(curve.share_before + curve.share_of_hour * passed, 1), curve.share_of_hour / MS_PER_HOUR, 24
end

-- How many impressions today should end with, by the tightest of its caps and budgets (nil when it
-- has none), and how many are committed. A budget gives today its part of what is left of the
-- flight; a campaign's budget is shared among its line items by what they serve.
local function pacing_goal(a, campaign, c, now, share)
  local committed = a[IMPRESSIONS] + a[HELD_COUNT]
  local today = math.max(1 - share, MIN_SPAN)
  local later = math.max(c.flight_end_ms - (math.floor(now / MS_PER_DAY) + 1) * MS_PER_DAY, 0) / MS_PER_DAY
  local part = today / (today + later)
  local goal
  local function bound(left)
    goal = math.min(goal or math.huge, committed + math.max(left, 0))
  end
  if c.daily_impressions >= 0 then
    bound(c.daily_impressions - committed)
  end
  if c.expected_micros > 0 then
    if c.daily_spend_micros >= 0 then
      bound((c.daily_spend_micros - a[SPEND] - a[HELD_MICROS]) / c.expected_micros)
    end
    if c.budget_micros >= 0 then
      bound((c.budget_micros - a[T_SPEND] - a[HELD_TOTAL]) / c.expected_micros * part)
    end
    if c.campaign_budget_micros >= 0 then
      local own = math.min((a[SERVES] + 1) / (campaign[SERVES] + 1), 1)
      bound((c.campaign_budget_micros - campaign[T_SPEND] - campaign[HELD_TOTAL]) / c.expected_micros * part * own)
    end
  end
  return goal, committed
end

-- The straight line from where pacing began today to today's goal: its rate, in impressions per
-- pacing day, and its value now.
local function pacing_line(a, goal, share)
  local rate = math.max(goal - a[PACE_BASE], 0) / math.max(1 - a[PACE_FROM], MIN_SPAN)
  return rate, a[PACE_BASE] + rate * (share - a[PACE_FROM])
end

-- One sample of the controller: sets the fill rate as a multiple of the day's even rate. `even` is
-- Even's rate now as the same kind of multiple.
local function pid_sample(a, even, behind, hours, gains)
  -- Delivery falls behind by at most an hour per hour; a larger step is a new cap or a new curve,
  -- not a trend.
  local newest = clamp((behind - a[PACE_ERROR]) / math.max(hours, 1e-6), -1, 1)
  local slope = a[PACE_SLOPE] + (newest - a[PACE_SLOPE]) * math.min(hours / SLOPE_HOURS, 1)
  local rest = even + gains.kp * behind + gains.kd * slope
  local integral = a[PACE_INTEGRAL] + behind * math.min(hours, MAX_STEP_HOURS)
  local output = rest + gains.ki * integral
  -- Anti-windup: the integral is bounded, is frozen while there is a backlog, and at a bound of the
  -- output moves only away from it.
  local wound = math.abs(behind) > MAX_BIAS_HOURS
    or (output > MAX_RATE and behind > 0)
    or (output < 0 and behind < 0)
  if not wound and gains.ki > 0 then
    a[PACE_INTEGRAL] = clamp(integral, -MAX_INTEGRAL / gains.ki, MAX_INTEGRAL / gains.ki)
  end
  a[PACE_ERROR], a[PACE_SLOPE] = behind, slope
  a[PACE_FACTOR] = clamp(rest + gains.ki * a[PACE_INTEGRAL], 0, MAX_RATE)
end

-- Fills the bucket up to now. Returns whether it has an allowance (pacing_take takes it when no
-- other limit refuses the candidate), and whether there is a new sample to store even if nothing is
-- taken: at most one a minute.
local function pacing_allows(a, campaign, c, now, curve, gains)
  local share, per_ms, day_hours = pacing_day(now, curve, c.flight_end_ms)
  local goal, committed = pacing_goal(a, campaign, c, now, share)
  if not goal then
    return true, false
  end
  if math.floor(a[PACE_AT] / MS_PER_DAY) < math.floor(now / MS_PER_DAY) then
    -- The first selection of the day is allowed immediately.
    a[PACE_TOKENS], a[PACE_AT], a[PACE_FROM], a[PACE_BASE] = 1, now, share, committed
    a[PACE_SAMPLED], a[PACE_ERROR], a[PACE_INTEGRAL], a[PACE_SLOPE], a[PACE_FACTOR] = now, 0, 0, 0, 1
  end
  local rate = math.max(goal - committed, 0) / math.max(1 - share, MIN_SPAN)
  local sampled = false
  if c.pacing == 'PID' then
    local line_rate, line = pacing_line(a, goal, share)
    sampled = line_rate > 0 and now - a[PACE_SAMPLED] >= SAMPLE_MS
    if sampled then
      local hours = (now - a[PACE_SAMPLED]) * per_ms * day_hours
      pid_sample(a, rate / line_rate, (line - committed) / line_rate * day_hours, hours, gains)
      a[PACE_SAMPLED] = now
    end
    rate = line_rate * a[PACE_FACTOR]
  end
  local depth = 1 + math.max(1, rate * per_ms * BUCKET_MS)
  local filled = math.min(a[PACE_TOKENS] + rate * per_ms * math.max(now - a[PACE_AT], 0), depth)
  -- Reservations give back several allowances together, which may exceed the depth by one.
  a[PACE_TOKENS] = math.min(filled + (account_released[a] or 0), depth + 1)
  account_released[a] = nil
  a[PACE_AT] = now
  return a[PACE_TOKENS] >= 1, sampled
end

local function pacing_take(a)
  a[PACE_TOKENS] = math.max(a[PACE_TOKENS] - 1, 0)
end
