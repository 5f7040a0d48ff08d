-- Whether an impression that was filtered can be counted after all. Nothing was reserved for it, so
-- every limit must have room beside what was delivered and what is held. A limit of -1 is not set.
-- @include frequency.lua

-- What is held for a day, today or not: open holds of yesterday still settle on that day.
local function restore_held(a, day)
  local count, micros = 0, 0
  local function add(of_day, of_count, of_micros)
    if of_day == day then
      count, micros = count + of_count, micros + of_micros
    end
  end
  for at = 1, #a[OLDER_HOLDS], HOLD_BYTES do
    local _, of_day, of_count, of_micros = struct.unpack(HOLD_FORMAT, a[OLDER_HOLDS], at)
    add(of_day, of_count, of_micros)
  end
  add(a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS])
  return count, micros
end

-- What was delivered on a day: impressions and micros; nil: the account no longer knows that day
-- (events/refilter-day.ts has checked its daily caps).
local function restore_delivered(a, day)
  if day == a[DAY] then
    return a[IMPRESSIONS], a[SPEND]
  elseif day == a[DAY] - 1 then
    return a[P_IMPRESSIONS], a[P_SPEND]
  end
end

local function restore_has_room(h, caps, a, campaign, places_key, at, now)
  if a[BROKEN] ~= 0 or campaign[BROKEN] ~= 0 then
    return false
  end
  local price = h.bills and h.price_micros or 1
  local function fits(limit, used, amount)
    return limit < 0 or used + amount <= limit
  end
  if not (fits(h.budget_micros, a[T_SPEND] + a[HELD_TOTAL], price)
    and fits(h.campaign_budget_micros, campaign[T_SPEND] + campaign[HELD_TOTAL], price)) then
    return false
  end
  if not fits(caps.goal_impressions, a[T_IMPRESSIONS] + a[OLDER_COUNT] + a[HOLD_COUNT], 1) then
    return false
  end
  local impressions, spend = restore_delivered(a, h.day)
  if impressions then
    local held, held_micros = restore_held(a, h.day)
    if not (fits(caps.daily_impressions, impressions + held, 1) and fits(h.daily_spend_micros, spend + held_micros, price)) then
      return false
    end
  end
  local _, campaign_spend = restore_delivered(campaign, h.day)
  if campaign_spend then
    local _, held_micros = restore_held(campaign, h.day)
    if not fits(h.campaign_daily_micros, campaign_spend + held_micros, price) then
      return false
    end
  end
  if not caps.caps or not places_key then
    return true
  end
  -- A window that has ended no longer has its places. The place that the ad held may be there still,
  -- and the impression confirms it.
  local user = frequency_open(places_key, now)
  for i = 1, #caps.caps, 3 do
    local counter, max, window_ms = caps.caps[i], caps.caps[i + 1], caps.caps[i + 2]
    if at + window_ms > now and not frequency_held_at(user, counter, h.hold_end_ms)
      and frequency_count(user, counter, window_ms) >= max then
      return false
    end
  end
  return true
end
