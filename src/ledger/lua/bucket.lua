-- A bucket of permits, in an account: time fills it at the rate at which a goal should be
-- delivered, and a selection takes from it. Amounts are impressions in a line item's account and
-- micros in a campaign's. docs/pacing.md explains it.
--
-- Time is the publisher's traffic: a pacing day runs from 0 to 1 as its traffic passes, so "evenly"
-- means evenly over the traffic. `curve` has an hour of that day, or the part of one that the day's edges
-- leave: hour_start_ms, length_ms, share_before and share_of_hour, by the replica's clock; and `rule`, the
-- publisher's days (day.lua). `now` is Redis's clock.
--
-- Even fills at what is left of today's goal over what is left of today: after a quiet hour the
-- rest is spread over the day and not served in a burst. PID corrects that rate once a minute by
-- how many hours it is behind the straight line of its day. Gains are per hour, so traffic does not
-- change them. The output stays within 0 and MAX_RATE times the day's even rate, so a backlog
-- cannot become a burst. A goal that is spread over the flight has its backlog spread already: there
-- the bound is MAX_RATE times Even's rate, where that is higher.
-- @include day.lua
local MS_PER_HOUR = 3600000
local SAMPLE_MS = 60000
-- A bucket holds one selection, and a minute's worth more. With few requests that is too little: a
-- line item that has 160 requests for 54 impressions in a quiet hour loses up to 10 % of that hour,
-- because the bucket overflows between two requests. So it holds five selections more where those
-- are at most ten minutes' worth. From a minute's worth of five on, ten minutes that begin with a
-- full bucket come to 1.485 times the even rate.
local BUCKET_MS = 60000
local BUCKET_COUNT = 5
local MAX_BUCKET_MS = 600000
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

-- Today's part of what is left until the flight ends, of what is left today and on later days. `start` and
-- `finish` are today's.
local function part_of(today, later, start, finish, flight_end, goal)
  if goal and goal[GOAL.FRONTLOAD] > 0 then
    -- The rate falls in a straight line over the flight, from 1 + frontload times the even rate to
    -- 1 - frontload: today is worth its mean over the day, the rest its mean from midnight on.
    local begins, load = goal[GOAL.FLIGHT_START_MS], goal[GOAL.FRONTLOAD]
    local length = math.max(flight_end - begins, 1)
    local from, to = math.max(start - begins, 0) / length, (finish - begins) / length
    today, later = today * (1 + load * (1 - from - to)), later * math.max(1 - load * to, 0)
  end
  return today / (today + later)
end

-- The same as pacing_day for a line item that serves at some hours only: its day is the traffic of
-- these hours, as the replica knows it for the present half hour (scheduled-curve.ts).
local function scheduled_day(now, rule, flight_end, goal, own)
  local passed = clamp((now - own[OWN.START_MS]) / own[OWN.LENGTH_MS], 0, 1)
  local share = math.min(own[OWN.SHARE_BEFORE] + own[OWN.SHARE_OF_PIECE] * passed, 1)
  local today = own[OWN.TODAY] * math.max(1 - share, MIN_SPAN)
  local later = own[OWN.LATER]
  local start, finish = day_bounds(rule, now)
  return {
    start = start,
    share = share,
    per_ms = own[OWN.SHARE_OF_PIECE] / own[OWN.LENGTH_MS],
    hours = own[OWN.HOURS],
    part = later > 0 and part_of(math.max(today, MIN_SPAN), later, start, finish, flight_end, goal) or 1,
  }
end

-- The position of `now` in a pacing day, which begins at `start`: `share` has passed, `per_ms` passes in a millisecond, it
-- is `hours` long, and today gets `part` of what is left until the flight ends. When that is before
-- midnight, the curve up to then is not known here, so that day runs by the clock. `goal`: the
-- candidate's, or nil. `own`: its day where it serves at some hours only, or nil.
local function pacing_day(now, curve, flight_end, goal, own)
  if own then
    return scheduled_day(now, curve.rule, flight_end, goal, own)
  end
  local start, finish = day_bounds(curve.rule, now)
  if flight_end < finish then
    local length = math.max(flight_end - start, 1)
    local share = math.min((now - start) / length, 1)
    return { start = start, share = share, per_ms = 1 / length, hours = length / MS_PER_HOUR, part = 1 }
  end
  local share, per_ms
  local length = finish - start
  -- Around midnight a replica's clock may be in the day before or after.
  if curve.hour_start_ms < start then
    share, per_ms = 0, 1 / length
  elseif curve.hour_start_ms >= finish then
    share, per_ms = 1, 1 / length
  else
    local passed = clamp((now - curve.hour_start_ms) / curve.length_ms, 0, 1)
    share = math.min(curve.share_before + curve.share_of_hour * passed, 1)
    per_ms = curve.share_of_hour / curve.length_ms
  end
  local today = math.max(1 - share, MIN_SPAN) * (length / MS_PER_DAY)
  local part = part_of(today, (flight_end - finish) / MS_PER_DAY, start, finish, flight_end, goal)
  return { start = start, share = share, per_ms = per_ms, hours = length / MS_PER_HOUR, part = part }
end

-- The straight line from where pacing began today to today's goal: its rate, in impressions or
-- micros per pacing day, and its value now.
local function pacing_line(a, goal, day)
  local rate = math.max(goal - a[PACE_BASE], 0) / math.max(1 - a[PACE_FROM], MIN_SPAN)
  return rate, a[PACE_BASE] + rate * (day.share - a[PACE_FROM])
end

-- One sample of the controller: sets the fill rate as a multiple of the day's even rate. `even` is
-- Even's rate now as the same kind of multiple, `max_rate` the bound.
local function pid_sample(a, even, behind, hours, gains, max_rate)
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
    or (output > max_rate and behind > 0)
    or (output < 0 and behind < 0)
  if not wound and gains.ki > 0 then
    a[PACE_INTEGRAL] = clamp(integral, -MAX_INTEGRAL / gains.ki, MAX_INTEGRAL / gains.ki)
  end
  a[PACE_ERROR], a[PACE_SLOPE] = behind, slope
  a[PACE_FACTOR] = clamp(rest + gains.ki * a[PACE_INTEGRAL], 0, max_rate)
end

-- Whether pacing has begun in this account on the day that began at `start`.
local function pacing_is_begun(a, start)
  return a[PACE_AT] >= start
end

-- Fills the bucket of an account up to now. `unit` is the most that one selection takes; a bucket
-- with a reserve holds its size twice. `released` is given back. `is_spread`: `goal` is the part of a
-- goal of the flight that is today's. Returns the reserve, what did not fit, and whether there is a new
-- sample to store even if nothing is taken: at most one a minute.
local function pacing_fill(a, mode, goal, committed, now, day, gains, unit, has_reserve, released, is_spread)
  local begins = not pacing_is_begun(a, day.start)
  if begins then
    a[PACE_AT], a[PACE_FROM], a[PACE_BASE] = now, day.share, committed
    a[PACE_SAMPLED], a[PACE_ERROR], a[PACE_INTEGRAL], a[PACE_SLOPE], a[PACE_FACTOR] = now, 0, 0, 0, 1
  end
  local rate = math.max(goal - committed, 0) / math.max(1 - day.share, MIN_SPAN)
  local sampled = false
  if mode == 'PID' then
    local line_rate, line = pacing_line(a, goal, day)
    sampled = line_rate > 0 and now - a[PACE_SAMPLED] >= SAMPLE_MS
    if sampled then
      local hours = (now - a[PACE_SAMPLED]) * day.per_ms * day.hours
      local even = rate / line_rate
      local max_rate = is_spread and MAX_RATE * math.max(even, 1) or MAX_RATE
      pid_sample(a, even, (line - committed) / line_rate * day.hours, hours, gains, max_rate)
      a[PACE_SAMPLED] = now
    end
    rate = line_rate * a[PACE_FACTOR]
  end
  local per_ms = rate * day.per_ms
  local size = math.max(unit, per_ms * BUCKET_MS, math.min(BUCKET_COUNT * unit, per_ms * MAX_BUCKET_MS))
  local reserve = has_reserve and size or 0
  if begins then
    -- The first selection of the day is allowed immediately.
    a[PACE_TOKENS] = reserve + unit
  end
  local depth = reserve + unit + size
  local filled = a[PACE_TOKENS] + per_ms * math.max(now - a[PACE_AT], 0)
  -- Reservations give back several permits together, which may exceed the depth by one.
  local given = math.min(filled, depth) + released
  a[PACE_TOKENS] = math.min(given, depth + unit)
  a[PACE_AT] = now
  return reserve, math.max(filled - depth, 0) + given - math.min(given, depth + unit), sampled
end
