-- Adds differences to the counts of accounts. Open holds stay.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] number of the last adjustment in the shard
-- ARGV[1] that number, and the epoch of the accounts, when they were read, ARGV[2] expires_at_s of a hash without an end, ARGV[3] the rule of the
--   publisher's days (../lua/day.lua), '' when it is not to change, then pairs: a field,
--   and the differences, a JSON array by the field list of account-books.ts with the day of the account
-- Returns how many accounts were changed; -1 when there was another adjustment since the accounts were read
-- Why atomic: differences are added to what hits that settle meanwhile have counted; the number
--   keeps a call that was delayed from adding them twice, and the epoch one from before a loss of data. An account that
--   is not rebuilt since then stays away.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/counts.lua

local NUMBER_TTL_S = 86400

call_begin()
local mark = redis.call('HGET', KEYS[1], EPOCH_FIELD) or ''
if (redis.call('GET', KEYS[2]) or '0') .. ' ' .. mark ~= ARGV[1] then
  return -1
end
local is_rebuilding = string.sub(mark, -#EPOCH_REBUILDING) == EPOCH_REBUILDING
redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], NUMBER_TTL_S)

-- With the time of the publisher, by which check-accounts.lua has opened the accounts.
local book = books_of(KEYS[1], nil, clock_ms(), nil, ARGV[3] ~= '' and ARGV[3] or nil)
local changed = 0
for i = 4, #ARGV, 2 do
  local difference = counts_record(cjson.decode(ARGV[i + 1]))
  local packed = redis.call('HGET', KEYS[1], ARGV[i]) or nil
  local a = account_open(packed, book)
  -- Before its publisher moved its time zone, an account that is not there may have been a day ahead.
  if not packed and difference.day > a[DAY] then
    account_roll_over(a, difference.day)
  end
  if a[DAY] == difference.day and (packed or not is_rebuilding) then
    account_add_counts(a, difference)
    redis.call('HSET', KEYS[1], ARGV[i], account_pack(a))
    changed = changed + 1
  end
end
if changed > 0 and book.new_days then
  redis.call('HSET', KEYS[1], DAYS_FIELD, book.new_days)
end
if changed > 0 and redis.call('PTTL', KEYS[1]) == -1 then
  redis.call('EXPIREAT', KEYS[1], ARGV[2])
end
return changed
