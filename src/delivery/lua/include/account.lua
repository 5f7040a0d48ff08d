-- An account: what one line item, or one campaign, has delivered, spent and promised. One packed array in the hash of its publisher.
--
-- DAY is the UTC day (since the epoch) to which the plain counts belong; the P_ fields are the day before; the T_ fields run over the
-- flight. HELD_ fields are sums over the open holds, so that a limit costs one comparison. From HOLDS on, the open holds in order of
-- their making, four numbers each: end (ms), day, count, micros. A hold is the sum of all reservations that end in the same bucket.
local DAY, SERVES, IMPRESSIONS, CLICKS, SPEND = 1, 2, 3, 4, 5
local P_SERVES, P_IMPRESSIONS, P_CLICKS, P_SPEND = 6, 7, 8, 9
local T_IMPRESSIONS, T_SPEND = 10, 11
local HELD_COUNT, HELD_MICROS, HELD_TOTAL = 12, 13, 14
local RATE_TOKENS, RATE_AT = 15, 16
-- Allowances and when they were counted (ms); where pacing began today: share of the day, committed; the controller's last sample (ms),
-- its error in hours, the integral and the slope of that, and the multiple of the even rate it set.
local PACE_TOKENS, PACE_AT, PACE_FROM, PACE_BASE = 17, 18, 19, 20
local PACE_SAMPLED, PACE_ERROR, PACE_INTEGRAL, PACE_SLOPE, PACE_FACTOR = 21, 22, 23, 24, 25
local HOLDS = 26

local MS_PER_DAY = 86400000

-- A hit that a replica stored in Postgres may be this late, against Redis's clock, before its hold can go: clock skew plus one insert.
local RELEASE_MARGIN_MS = 5000

local function account_new(day)
  return { day, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }
end

-- Opens an account at the day of `now`. Redis's clock may step back; a day never does.
local function account_open(packed, now)
  local today = math.floor(now / MS_PER_DAY)
  if not packed then
    return account_new(today), true
  end
  local a = cmsgpack.unpack(packed)
  local day = a[DAY]
  if day >= today then
    return a, false
  end
  local yesterday = day == today - 1
  a[P_SERVES] = yesterday and a[SERVES] or 0
  a[P_IMPRESSIONS] = yesterday and a[IMPRESSIONS] or 0
  a[P_CLICKS] = yesterday and a[CLICKS] or 0
  a[P_SPEND] = yesterday and a[SPEND] or 0
  a[DAY], a[SERVES], a[IMPRESSIONS], a[CLICKS], a[SPEND] = today, 0, 0, 0, 0
  a[HELD_COUNT], a[HELD_MICROS] = 0, 0
  return a, true
end

local function account_drop_hold(a, at)
  for i = 1, 4 do
    table.remove(a, at)
  end
end

-- How many of today's reservations this call released, by account: what did not render is part of the plan, so pacing gives it back.
local account_released = {}

-- Forgets reservations that can no longer be settled. `horizon` is asked only when there is one that has passed its end.
local function account_release(a, now, horizon)
  while a[HOLDS] and a[HOLDS] + RELEASE_MARGIN_MS <= now and a[HOLDS] + RELEASE_MARGIN_MS <= horizon() do
    if a[HOLDS + 1] == a[DAY] then
      a[HELD_COUNT] = a[HELD_COUNT] - a[HOLDS + 2]
      a[HELD_MICROS] = a[HELD_MICROS] - a[HOLDS + 3]
      account_released[a] = (account_released[a] or 0) + a[HOLDS + 2]
    end
    a[HELD_TOTAL] = a[HELD_TOTAL] - a[HOLDS + 3]
    account_drop_hold(a, HOLDS)
  end
end

local function account_hold(a, hold_end, day, micros)
  local last = #a - 3
  if last >= HOLDS and a[last] == hold_end and a[last + 1] == day then
    a[last + 2] = a[last + 2] + 1
    a[last + 3] = a[last + 3] + micros
  else
    local n = #a
    a[n + 1], a[n + 2], a[n + 3], a[n + 4] = hold_end, day, 1, micros
  end
  if day == a[DAY] then
    a[HELD_COUNT] = a[HELD_COUNT] + 1
    a[HELD_MICROS] = a[HELD_MICROS] + micros
  end
  a[HELD_TOTAL] = a[HELD_TOTAL] + micros
end

-- Takes one reservation out of its hold, at the price at which it was taken. False when there is none: it was released, or never made.
local function account_unhold(a, hold_end, day, micros)
  for i = HOLDS, #a, 4 do
    if a[i] == hold_end and a[i + 1] == day then
      a[i + 2] = a[i + 2] - 1
      a[i + 3] = a[i + 3] - micros
      if day == a[DAY] then
        a[HELD_COUNT] = a[HELD_COUNT] - 1
        a[HELD_MICROS] = a[HELD_MICROS] - micros
      end
      a[HELD_TOTAL] = a[HELD_TOTAL] - micros
      if a[i + 2] == 0 then
        account_drop_hold(a, i)
      end
      return true
    end
  end
  return false
end

-- Adds to a count of the day on which the ad was selected: today's or yesterday's; an older day lives in the event rows alone.
local function account_add(a, day, today_field, yesterday_field, amount)
  if day == a[DAY] then
    a[today_field] = a[today_field] + amount
  elseif day == a[DAY] - 1 then
    a[yesterday_field] = a[yesterday_field] + amount
  end
end
