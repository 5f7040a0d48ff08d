-- An account: the delivered, billed and reserved amounts of one line item or campaign. One field in
-- the hash of its publisher.
--
-- DAY is the UTC day (since the epoch) to which the plain counts belong; P_ fields are the day
-- before; T_ fields run over the flight. HELD_ fields are sums over the open holds, so that a limit
-- costs one comparison. A hold is the sum of all reservations that end in the same bucket. The
-- newest hold is stored in four numbers; the older ones, one for each minute of a token's life,
-- are one string of records, oldest first, which is parsed only when one of them ends or is
-- settled.
--
-- Packed, an account is its numbers as doubles, 304 bytes, and the older holds behind them: 1.4 µs
-- to unpack and pack. As a cmsgpack array of numbers it took 2.0 µs with no holds (70 bytes), and
-- 8.9 µs with thirty.
local DAY, SERVES, IMPRESSIONS, CLICKS, SPEND = 1, 2, 3, 4, 5
local P_SERVES, P_IMPRESSIONS, P_CLICKS, P_SPEND = 6, 7, 8, 9
local T_IMPRESSIONS, T_SPEND = 10, 11
local HELD_COUNT, HELD_MICROS, HELD_TOTAL = 12, 13, 14
local RATE_TOKENS, RATE_AT = 15, 16
-- Pacing: allowances and when they were counted (ms); where it began today (share of the day,
-- committed); the controller's last sample (ms), its error in hours, the integral and the slope of
-- that error, and the multiple of the even rate that it set.
local PACE_TOKENS, PACE_AT, PACE_FROM, PACE_BASE = 17, 18, 19, 20
local PACE_SAMPLED, PACE_ERROR, PACE_INTEGRAL, PACE_SLOPE, PACE_FACTOR = 21, 22, 23, 24, 25
-- What a line item drew from its campaign's bucket (micros), in a campaign what the leading line
-- item drew; the hour in which a line item was last counted, in a campaign the hour of its counts:
-- line items with requests in that hour and the one before, paced and ASAP. Of a campaign: the
-- largest price and the latest end of flight today, and the part of what is left that is set aside
-- for its paced line items (micros).
local PACE_DRAWN, PACE_HOUR = 26, 27
local PACED_LIVE, PACED_BEFORE, ASAP_LIVE, ASAP_BEFORE = 28, 29, 30, 31
local PACE_UNIT, PACE_END, PACED_PART = 32, 33, 34
local HOLD_END, HOLD_DAY, HOLD_COUNT, HOLD_MICROS, OLDER_HOLDS = 35, 36, 37, 38, 39

-- One of the older holds: end (ms), day, count, micros.
local HOLD_FORMAT, HOLD_BYTES = '>I6I3I4I7', 20

local NUMBERS = OLDER_HOLDS - 1
local NUMBERS_FORMAT = '<' .. string.rep('d', NUMBERS)

local MS_PER_DAY = 86400000

-- A hit that a replica stored in Postgres may be this late, against Redis's clock, before its hold
-- is released: clock skew plus one insert.
local RELEASE_MARGIN_MS = 5000

local function account_new(day)
  local a = {}
  for i = 1, NUMBERS do
    a[i] = 0
  end
  a[DAY], a[RATE_TOKENS], a[PACE_FACTOR], a[OLDER_HOLDS] = day, -1, 1, ''
  return a
end

local function account_pack(a)
  return struct.pack(NUMBERS_FORMAT, unpack(a, 1, NUMBERS)) .. a[OLDER_HOLDS]
end

local function account_unpack(packed)
  local a = { struct.unpack(NUMBERS_FORMAT, packed) }
  -- The last value is the position after the numbers.
  a[OLDER_HOLDS] = string.sub(packed, a[OLDER_HOLDS])
  return a
end

-- Moves an account to a later day: today's counts become yesterday's.
local function account_roll_over(a, today)
  local yesterday = a[DAY] == today - 1
  a[P_SERVES] = yesterday and a[SERVES] or 0
  a[P_IMPRESSIONS] = yesterday and a[IMPRESSIONS] or 0
  a[P_CLICKS] = yesterday and a[CLICKS] or 0
  a[P_SPEND] = yesterday and a[SPEND] or 0
  a[DAY], a[SERVES], a[IMPRESSIONS], a[CLICKS], a[SPEND] = today, 0, 0, 0, 0
  a[HELD_COUNT], a[HELD_MICROS] = 0, 0
end

-- How many of today's reservations this call released, and their micros, by account. Pacing gives
-- their allowances back.
local account_released, account_released_micros = {}, {}

-- Adds reservations to the HELD_ sums; negative numbers take them out.
local function account_add_held(a, day, count, micros)
  if day == a[DAY] then
    a[HELD_COUNT] = a[HELD_COUNT] + count
    a[HELD_MICROS] = a[HELD_MICROS] + micros
  end
  a[HELD_TOTAL] = a[HELD_TOTAL] + micros
end

local function account_oldest_hold(a)
  if a[OLDER_HOLDS] ~= '' then
    return struct.unpack(HOLD_FORMAT, a[OLDER_HOLDS])
  elseif a[HOLD_COUNT] > 0 then
    return a[HOLD_END], a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS]
  end
end

-- Drops holds that can no longer be settled. Calls `horizon` only when a hold has ended.
local function account_release(a, now, horizon)
  local ends, day, count, micros = account_oldest_hold(a)
  while ends and ends + RELEASE_MARGIN_MS <= now and ends + RELEASE_MARGIN_MS <= horizon() do
    account_add_held(a, day, -count, -micros)
    if day == a[DAY] then
      account_released[a] = (account_released[a] or 0) + count
      account_released_micros[a] = (account_released_micros[a] or 0) + micros
    end
    if a[OLDER_HOLDS] ~= '' then
      a[OLDER_HOLDS] = string.sub(a[OLDER_HOLDS], HOLD_BYTES + 1)
    else
      a[HOLD_COUNT], a[HOLD_MICROS] = 0, 0
    end
    ends, day, count, micros = account_oldest_hold(a)
  end
end

-- Opens an account at the day of `now` and releases its holds (unless `horizon` is nil). Returns
-- it, and whether it is new or its day is. Redis's clock may step back; an account's day never
-- does.
local function account_open(packed, now, horizon)
  local today = math.floor(now / MS_PER_DAY)
  if not packed then
    return account_new(today), true
  end
  local a = account_unpack(packed)
  local renewed = a[DAY] < today
  if renewed then
    account_roll_over(a, today)
  end
  if horizon then
    account_release(a, now, horizon)
  end
  return a, renewed
end

local function account_hold(a, hold_end, day, micros)
  if a[HOLD_END] ~= hold_end or a[HOLD_DAY] ~= day then
    if a[HOLD_COUNT] > 0 then
      local older = struct.pack(HOLD_FORMAT, a[HOLD_END], a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS])
      a[OLDER_HOLDS] = a[OLDER_HOLDS] .. older
    end
    a[HOLD_END], a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS] = hold_end, day, 0, 0
  end
  a[HOLD_COUNT], a[HOLD_MICROS] = a[HOLD_COUNT] + 1, a[HOLD_MICROS] + micros
  account_add_held(a, day, 1, micros)
end

-- Takes one reservation out of one of the older holds. Returns false when there is no such hold.
local function account_unhold_older(a, hold_end, day, micros)
  local older = a[OLDER_HOLDS]
  for at = 1, #older, HOLD_BYTES do
    local ends, of_day, count, sum = struct.unpack(HOLD_FORMAT, older, at)
    if ends == hold_end and of_day == day then
      local rest = count > 1 and struct.pack(HOLD_FORMAT, ends, of_day, count - 1, sum - micros) or ''
      a[OLDER_HOLDS] = string.sub(older, 1, at - 1) .. rest .. string.sub(older, at + HOLD_BYTES)
      return true
    end
  end
  return false
end

-- Takes one reservation out of its hold, at the price at which it was made. Returns false when it
-- is not there: it was released, or never made.
local function account_unhold(a, hold_end, day, micros)
  if a[HOLD_END] == hold_end and a[HOLD_DAY] == day and a[HOLD_COUNT] > 0 then
    a[HOLD_COUNT], a[HOLD_MICROS] = a[HOLD_COUNT] - 1, a[HOLD_MICROS] - micros
  elseif not account_unhold_older(a, hold_end, day, micros) then
    return false
  end
  account_add_held(a, day, -1, -micros)
  return true
end

-- Adds to a count of the day on which the ad was selected: today or yesterday. Older days are only
-- in the event rows.
local function account_add(a, day, today_field, yesterday_field, amount)
  if day == a[DAY] then
    a[today_field] = a[today_field] + amount
  elseif day == a[DAY] - 1 then
    a[yesterday_field] = a[yesterday_field] + amount
  end
end
