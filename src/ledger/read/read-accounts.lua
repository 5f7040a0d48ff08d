-- Reads accounts for reports and for repair. Changes nothing.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard
-- ARGV fields of the hash: 'l<line item>' or 'c<campaign>'
-- Returns per field an empty array, or whole numbers by the field list of read-accounts.ts
-- Why a script: the account is unpacked, rolled over and released by the code that also writes it.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua
-- @include ../lua/books.lua
-- @include ../lua/horizon.lua

local book = books_of(KEYS[1], nil, clock_ms(), horizon_of(KEYS[2]))
local packed = redis.call('HMGET', KEYS[1], unpack(ARGV))
local results = {}
for i = 1, #ARGV do
  if packed[i] then
    local a = account_open(packed[i], book.now, book.horizon)
    if a[BROKEN] == 0 then
      account_check_records(a)
    end
    results[i] = account_row({
      day = a[DAY],
      serves = a[SERVES],
      impressions = a[IMPRESSIONS],
      clicks = a[CLICKS],
      spend_micros = a[SPEND],
      yesterday_serves = a[P_SERVES],
      yesterday_impressions = a[P_IMPRESSIONS],
      yesterday_clicks = a[P_CLICKS],
      yesterday_spend_micros = a[P_SPEND],
      total_impressions = a[T_IMPRESSIONS],
      total_spend_micros = a[T_SPEND],
      held_today = a[HELD_COUNT],
      held_today_micros = a[HELD_MICROS],
      held_micros = a[HELD_TOTAL],
      -- 0 until pacing begins today; the following fields in thousandths.
      is_paced = math.floor(a[PACE_AT] / MS_PER_DAY) == a[DAY] and 1 or 0,
      hours_behind = math.floor(a[PACE_ERROR] * 1000),
      integral = math.floor(a[PACE_INTEGRAL] * 1000),
      slope = math.floor(a[PACE_SLOPE] * 1000),
      factor = math.floor(a[PACE_FACTOR] * 1000),
      broken = a[BROKEN],
    })
  else
    results[i] = {}
  end
end
return results
