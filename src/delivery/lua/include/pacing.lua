-- Pacing as a bucket of allowances: time fills it at the rate at which the line item should deliver, a selection takes one.
--
-- Time is measured on the publisher's traffic curve: the day number plus the share of a day's traffic that has passed by now, so that
-- "evenly" means evenly over the traffic. `curve` is { hour_start_ms, share_before, share_of_hour }.
--
-- Even refills at what is left of the goal over what is left of its time: after a quiet hour the rest is spread, not burst.
-- PID refills at the even rate of the whole day, corrected by a controller of how many average hours it is behind its target; gains are
-- per hour, the correction is bounded, so a backlog is worked off at MAX_RATE at the most.
local MS_PER_HOUR = 3600000
local MAX_RATE = 1.5
local MAX_INTEGRAL = 0.5
local MAX_STEP_HOURS = 0.25
local MINUTES_PER_DAY = 1440

local function curve_at(curve, ms)
  local hours = (ms - curve.hour_start) / MS_PER_HOUR
  return curve.share_before + curve.share_of_hour * math.min(math.max(hours, 0), 1)
end

-- How many days of traffic are left until `ends`, at most to the end of today when `today_only`.
local function curve_left(now, now_share, ends, today_only)
  local day_end = (math.floor(now / MS_PER_DAY) + 1) * MS_PER_DAY
  if ends >= day_end then
    local today = 1 - now_share
    return today_only and today or today + (ends - day_end) / MS_PER_DAY
  end
  -- The flight ends today: what is left of its time, taken as a share of what is left of the day.
  return (1 - now_share) * (ends - now) / (day_end - now)
end

-- The tightest goal: impressions left and days left to deliver them in, and the impressions that are the goal of the whole day.
-- Nothing when the line item has neither a cap nor a budget to pace.
local function pacing_goal(a, campaign, c, now, now_share)
  local best_rate, best_left, best_goal
  local committed = a[IMPRESSIONS] + a[HELD_COUNT]
  local function consider(left, span, done_today, whole_day)
    left = math.max(left, 0)
    local rate = left / math.max(span, 1e-6)
    if not best_rate or rate < best_rate then
      best_rate, best_left, best_goal = rate, left, whole_day or (done_today + left * math.min(1, (1 - now_share) / math.max(span, 1e-6)))
    end
  end
  local today = curve_left(now, now_share, c.flight_end, true)
  local flight = curve_left(now, now_share, c.flight_end, false)
  if c.daily_cap >= 0 then
    consider(c.daily_cap - committed, today, committed, c.daily_cap)
  end
  if c.expected_price > 0 then
    if c.daily_spend_cap >= 0 then
      consider((c.daily_spend_cap - a[SPEND] - a[HELD_MICROS]) / c.expected_price, today, committed, c.daily_spend_cap / c.expected_price)
    end
    if c.budget >= 0 then
      consider((c.budget - a[T_SPEND] - a[HELD_TOTAL]) / c.expected_price, flight, committed)
    end
    if c.campaign_budget >= 0 then
      consider((c.campaign_budget - campaign[T_SPEND] - campaign[HELD_TOTAL]) / c.expected_price, flight, committed)
    end
  end
  return best_rate, best_left, best_goal, committed
end

local function pid_rate(a, goal, committed, now_share, hours, gains)
  if goal <= 0 then
    return 0
  end
  local behind = (goal * now_share - committed) * 24 / goal
  local step = math.min(hours, MAX_STEP_HOURS)
  local slope = hours > 0 and (behind - a[PACE_ERROR]) / math.max(hours, 1 / 60) or 0
  local integral = a[PACE_INTEGRAL] + behind * step
  local unbounded = 1 + gains.kp * behind + gains.ki * integral + gains.kd * slope
  -- Anti-windup: the integral stands still while the output is at a bound, and never carries more than MAX_INTEGRAL of the rate.
  if unbounded > 0 and unbounded < MAX_RATE and gains.ki > 0 then
    local most = MAX_INTEGRAL / gains.ki
    a[PACE_INTEGRAL] = math.min(math.max(integral, -most), most)
  end
  a[PACE_ERROR] = behind
  return goal * math.min(math.max(unbounded, 0), MAX_RATE)
end

-- Fills the bucket up to now. True when one more may be promised; the caller takes it with pacing_take once everything else agrees.
local function pacing_allows(a, campaign, c, now, curve, gains)
  local now_share = curve_at(curve, now)
  local rate, left, goal, committed = pacing_goal(a, campaign, c, now, now_share)
  if not rate then
    return true
  end
  local at = math.floor(now / MS_PER_DAY) + now_share
  local first_of_day = a[PACE_AT] < math.floor(at)
  local passed = first_of_day and 0 or math.max(at - a[PACE_AT], 0)
  if c.pacing == 'PID' then
    rate = pid_rate(a, goal, committed, now_share, passed * 24, gains)
  end
  local depth = math.max(1, rate / MINUTES_PER_DAY)
  local tokens = a[PACE_TOKENS] + rate * passed
  if first_of_day then
    tokens = 1
    a[PACE_INTEGRAL], a[PACE_ERROR] = 0, 0
  end
  a[PACE_TOKENS], a[PACE_AT] = math.min(tokens, depth), at
  return a[PACE_TOKENS] >= 1
end

local function pacing_take(a)
  a[PACE_TOKENS] = math.max(a[PACE_TOKENS] - 1, 0)
end
