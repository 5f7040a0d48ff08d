-- An account: the delivered, billed and reserved amounts of one line item or campaign. One field in
-- the hash of its publisher.
--
-- DAY is the UTC day (since the epoch) to which the plain counts belong; P_ fields are the day
-- before; T_ fields run over the flight. HELD_ fields are sums over the open holds, so that a limit
-- costs one comparison. A hold is a record: the sum of all reservations of one day that end in the
-- same bucket. Records are unique and sorted by end, then day. The latest is stored in four
-- numbers; the older ones are one string, oldest first, which is parsed only when one of them ends,
-- is settled or is added, and of which OLDER_COUNT and OLDER_MICROS are the sums.
--
-- Packed, an account is its numbers as doubles, 328 bytes, and the older holds behind them. Pacing's
-- numbers, which a hit does not need, stay bytes until account_open_pacing. Of 232 bytes, unpacking
-- and packing took 1.4 µs; as a cmsgpack array of numbers 2.0 µs with no holds (70 bytes), and 8.9 µs
-- with thirty.
local DAY, SERVES, IMPRESSIONS, CLICKS, SPEND = 1, 2, 3, 4, 5
local P_SERVES, P_IMPRESSIONS, P_CLICKS, P_SPEND = 6, 7, 8, 9
local T_IMPRESSIONS, T_SPEND = 10, 11
local HELD_COUNT, HELD_MICROS, HELD_TOTAL = 12, 13, 14
local RATE_TOKENS, RATE_AT = 15, 16
local HOLD_END, HOLD_DAY, HOLD_COUNT, HOLD_MICROS = 17, 18, 19, 20
local OLDER_COUNT, OLDER_MICROS = 21, 22
-- 0, or why the account is set aside (set-aside.ts: BROKEN_ constants): it refuses every reservation
-- until an operator repairs it.
local BROKEN = 23
-- Pacing: permits and when they were counted (ms); where it began today (share of the day,
-- committed); the controller's last sample (ms), its error in hours, the integral and the slope of
-- that error, and the multiple of the even rate that it set.
local PACE_TOKENS, PACE_AT, PACE_FROM, PACE_BASE = 24, 25, 26, 27
local PACE_SAMPLED, PACE_ERROR, PACE_INTEGRAL, PACE_SLOPE, PACE_FACTOR = 28, 29, 30, 31, 32
-- What a line item drew from its campaign's bucket (micros), in a campaign what the leading line
-- item drew; the hour in which a line item was last counted, in a campaign the hour of its counts:
-- line items with requests in that hour and the one before, paced and ASAP. Of a campaign: the
-- largest price and the latest end of flight today, and the part of what is left that is set aside
-- for its paced line items (micros).
local PACE_DRAWN, PACE_HOUR = 33, 34
local PACED_LIVE, PACED_BEFORE, ASAP_LIVE, ASAP_BEFORE = 35, 36, 37, 38
local PACE_UNIT, PACE_END, PACED_PART = 39, 40, 41
-- The older holds, packed; pacing's numbers, packed, or nil when they have been opened.
local OLDER_HOLDS, PACING_BYTES = 42, 43

-- Bytes of one of the older holds (holds.lua).
local HOLD_BYTES = 20

local NUMBERS = OLDER_HOLDS - 1
local NUMBERS_BYTES = NUMBERS * 8
local MONEY_FORMAT = '<' .. ('d'):rep(BROKEN)
local PACING_FORMAT = '<' .. ('d'):rep(NUMBERS - BROKEN)
local PACING_AT = BROKEN * 8 + 1

local MS_PER_DAY = 86400000

local function account_new(day)
  local a = {}
  for i = 1, NUMBERS do
    a[i] = 0
  end
  a[DAY], a[RATE_TOKENS], a[PACE_FACTOR], a[OLDER_HOLDS] = day, -1, 1, ''
  return a
end

local function account_pack(a)
  local pacing = a[PACING_BYTES] or struct.pack(PACING_FORMAT, unpack(a, PACE_TOKENS, NUMBERS))
  return struct.pack(MONEY_FORMAT, unpack(a, 1, BROKEN)) .. pacing .. a[OLDER_HOLDS]
end

-- Returns nil when the bytes are not an account.
local function account_unpack(packed)
  if #packed < NUMBERS_BYTES or (#packed - NUMBERS_BYTES) % HOLD_BYTES ~= 0 then
    return nil
  end
  local a = { struct.unpack(MONEY_FORMAT, packed) }
  a[PACING_BYTES] = string.sub(packed, PACING_AT, NUMBERS_BYTES)
  a[OLDER_HOLDS] = string.sub(packed, NUMBERS_BYTES + 1)
  return a
end

-- Makes pacing's numbers readable.
local function account_open_pacing(a)
  local packed = a[PACING_BYTES]
  if packed then
    a[PACING_BYTES] = nil
    local numbers = { struct.unpack(PACING_FORMAT, packed) }
    for i = PACE_TOKENS, NUMBERS do
      a[i] = numbers[i - BROKEN]
    end
  end
end

-- Sets an account aside. The first reason stays.
local function account_break(a, reason)
  if a[BROKEN] == 0 then
    a[BROKEN] = reason
  end
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

-- Adds to a count of the day on which the ad was selected: today or yesterday. Older days are only
-- in the event rows.
local function account_add(a, day, today_field, yesterday_field, amount)
  if day == a[DAY] then
    a[today_field] = a[today_field] + amount
  elseif day == a[DAY] - 1 then
    a[yesterday_field] = a[yesterday_field] + amount
  end
end
