-- An account: the delivered, billed and reserved amounts of one line item or campaign. One field in
-- the hash of its publisher.
--
-- DAY is the publisher's day (since the epoch) to which the plain counts belong; P_ fields are the day
-- before; T_ fields run over the flight. HELD_ fields are sums over the open holds, so that a limit
-- costs one comparison. A hold is a record: the sum of all reservations of one day that end in the
-- same bucket. Records are unique and sorted by end, then day. The latest is stored in four
-- numbers; the older ones are one string, oldest first, which is parsed only when one of them ends,
-- is settled or is added, and of which OLDER_COUNT and OLDER_MICROS are the sums.
--
-- Packed, an account is its numbers as doubles, pacing's numbers behind them, then the older holds and the
-- last number, 334 bytes without older holds. Pacing's numbers, which a hit does not need, stay bytes until
-- account_open_pacing. Of 232 bytes, unpacking and packing took 1.4 µs; as a cmsgpack array of numbers
-- 2.0 µs with no holds (70 bytes), and 8.9 µs with thirty.
--
-- Lua keeps every string once and finds it by a hash of 32 of its bytes, of which the last is always one.
-- Of 10,000 accounts that differed in doubles the hash had 1,300 values, and each new string was compared
-- with dozens of others. The lowest byte of a count is therefore the last, and one call packs all.
local DAY, SERVES, IMPRESSIONS, CLICKS, SPEND = 1, 2, 3, 4, 5
local P_SERVES, P_IMPRESSIONS, P_CLICKS, P_SPEND = 6, 7, 8, 9
-- BROKEN is 0, or why the account is set aside (set-aside.ts: BROKEN_ constants): it refuses every
-- reservation until an operator repairs it.
local BROKEN, T_SPEND, T_CLICKS = 10, 11, 12
local HELD_COUNT, HELD_MICROS, HELD_TOTAL = 13, 14, 15
local RATE_TOKENS, RATE_AT = 16, 17
local HOLD_END, HOLD_DAY, HOLD_COUNT, HOLD_MICROS = 18, 19, 20, 21
local OLDER_COUNT, OLDER_MICROS = 22, 23
-- Pacing's numbers, packed, or nil when they may have changed; the older holds, packed.
local PACING_BYTES, OLDER_HOLDS = 24, 25
local T_IMPRESSIONS = 26
-- Pacing: permits and when they were counted (ms); where it began today (share of the day,
-- committed); the controller's last sample (ms), its error in hours, the integral and the slope of
-- that error, and the multiple of the even rate that it set.
local PACE_TOKENS, PACE_AT, PACE_FROM, PACE_BASE = 27, 28, 29, 30
local PACE_SAMPLED, PACE_ERROR, PACE_INTEGRAL, PACE_SLOPE, PACE_FACTOR = 31, 32, 33, 34, 35
-- What a line item drew from its campaign's bucket (micros), in a campaign what the leading line
-- item drew; the hour in which a line item was last counted, in a campaign the hour of its counts:
-- line items with requests in that hour and the one before, paced and ASAP. Of a campaign: the
-- largest price and the latest end of flight today, and the part of what is left that is set aside
-- for its paced line items (micros).
local PACE_DRAWN, PACE_HOUR = 36, 37
local PACED_LIVE, PACED_BEFORE, ASAP_LIVE, ASAP_BEFORE = 38, 39, 40, 41
local PACE_UNIT, PACE_END, PACED_PART = 42, 43, 44

-- One of the older holds: end (ms), day, count, micros.
local HOLD_FORMAT = '>I6I3I4I7'
local HOLD_BYTES = 20

-- A hit that a replica stored in Postgres may be this late, against Redis's clock, before its hold
-- is released: clock skew plus one insert.
local RELEASE_MARGIN_MS = 5000

-- The longest life of a token (TOKEN_TTL), and so of a hold.
local MAX_HOLD_MS = 43200000

local MS_PER_DAY = 86400000

local function account_new(day)
  local a = {}
  for i = 1, PACED_PART do
    a[i] = 0
  end
  a[DAY], a[RATE_TOKENS], a[PACE_FACTOR] = day, -1, 1
  a[PACING_BYTES], a[OLDER_HOLDS] = nil, ''
  return a
end

local account_pack, account_unpack, account_open_pacing
-- A script may have 200 locals, and this is one scope of them.
do
  local NUMBERS, PACING_NUMBERS = OLDER_MICROS, PACED_PART - T_IMPRESSIONS
  local NUMBERS_FORMAT = '<' .. ('d'):rep(NUMBERS)
  local PACING_FORMAT = '<' .. ('d'):rep(PACING_NUMBERS)
  local LAST_FORMAT, LAST_BYTES = '>I6', 6
  local ACCOUNT_FORMAT = NUMBERS_FORMAT .. 'c0c0' .. LAST_FORMAT
  local PACING_AT = NUMBERS * 8 + 1
  local OLDER_AT = PACING_AT + PACING_NUMBERS * 8
  local EMPTY_BYTES = OLDER_AT - 1 + LAST_BYTES

  function account_pack(a)
    a[PACING_BYTES] = a[PACING_BYTES] or struct.pack(PACING_FORMAT, unpack(a, PACE_TOKENS, PACED_PART))
    return struct.pack(ACCOUNT_FORMAT, unpack(a, 1, T_IMPRESSIONS))
  end

  -- Returns nil when the bytes are not an account.
  function account_unpack(packed)
    if #packed < EMPTY_BYTES or (#packed - EMPTY_BYTES) % HOLD_BYTES ~= 0 then
      return nil
    end
    local a, last_at = { struct.unpack(NUMBERS_FORMAT, packed) }, #packed - LAST_BYTES + 1
    a[PACING_BYTES] = string.sub(packed, PACING_AT, OLDER_AT - 1)
    a[OLDER_HOLDS] = string.sub(packed, OLDER_AT, last_at - 1)
    a[T_IMPRESSIONS] = struct.unpack(LAST_FORMAT, packed, last_at)
    return a
  end

  -- Makes pacing's numbers readable, to be changed.
  function account_open_pacing(a)
    if not a[PACE_TOKENS] then
      local numbers = { struct.unpack(PACING_FORMAT, a[PACING_BYTES]) }
      for i = 1, PACING_NUMBERS do
        a[T_IMPRESSIONS + i] = numbers[i]
      end
    end
    a[PACING_BYTES] = nil
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
