-- Reads accounts for reports and for repair. Changes nothing.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard
-- ARGV fields of the hash: 'l<line item>' or 'c<campaign>'
-- Returns per field an empty array, or whole numbers by the field list of read-accounts.ts
-- Why a script: the account is unpacked, rolled over and released by the code that also writes it.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/counts.lua
-- @include ../lua/horizon.lua

call_begin()
local book = books_of(KEYS[1], nil, clock_ms(), horizon_of(KEYS[2]))
local packed = redis.call('HMGET', KEYS[1], unpack(ARGV))
local results = {}
for i = 1, #ARGV do
  if packed[i] then
    local a = account_open(packed[i], book)
    if a[BROKEN] == 0 then
      account_check_records(a)
    end
    local row = account_counts(a)
    row.held_today, row.held_today_micros, row.held_micros = a[HELD_COUNT], a[HELD_MICROS], a[HELD_TOTAL]
    -- 0 until pacing begins today; the following fields in thousandths.
    account_open_pacing(a)
    row.is_paced = day_of(book.days, a[PACE_AT]) == a[DAY] and 1 or 0
    row.hours_behind = math.floor(a[PACE_ERROR] * 1000)
    row.integral = math.floor(a[PACE_INTEGRAL] * 1000)
    row.slope = math.floor(a[PACE_SLOPE] * 1000)
    row.factor = math.floor(a[PACE_FACTOR] * 1000)
    row.broken = a[BROKEN]
    results[i] = account_row(row)
  else
    results[i] = {}
  end
end
return results
