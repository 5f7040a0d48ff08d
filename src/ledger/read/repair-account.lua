-- Replaces an account that is set aside by the counts of the stored events, without holds.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard, KEYS[3] broken accounts of the shard
--   (hash)
-- ARGV[1] field, ARGV[2] counts, a JSON array by the field list of repair-account.ts, ARGV[3] expires_at_s,
--   ARGV[4] safe_at_ms: when every hold of the account has ended
-- Returns 1 when it was replaced, 0 when a hold may be open, -1 when the account is not set aside
-- Why atomic: an account that still takes hits must not be replaced between the check and the write.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/counts.lua
-- @include ../lua/horizon.lua

call_begin()
local field, safe_at = ARGV[1], tonumber(ARGV[4])
local book = books_of(KEYS[1], KEYS[3], clock_ms())
local a = account_open(redis.call('HGET', KEYS[1], field), book)
if a[BROKEN] == 0 then
  redis.call('HDEL', KEYS[3], KEYS[1] .. ' ' .. field)
  return -1
end
if book.now < safe_at or horizon_of(KEYS[2])() < safe_at then
  return 0
end

local counts = counts_record(cjson.decode(ARGV[2]))
local repaired = account_new(counts.day)
account_add_counts(repaired, counts)
redis.call('HSET', KEYS[1], field, account_pack(repaired))
redis.call('EXPIREAT', KEYS[1], tonumber(ARGV[3]))
redis.call('HDEL', KEYS[3], KEYS[1] .. ' ' .. field)
return 1
