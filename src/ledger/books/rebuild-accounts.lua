-- Writes accounts of a publisher as Postgres knows them, after Redis has lost data. An account that is there already
-- has been rebuilt, and has counted since: it stays.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] broken accounts of the shard (hash), KEYS[3] record of epochs
--   (../reserve/trust-books.lua)
-- ARGV[1] the epoch for which they were read, ARGV[2] expires_at_s, ARGV[3] '1' when no other account of the
--   publisher has anything to count, ARGV[4] the rule of the publisher's days (../lua/day.lua), then per account two: its field, and the counts, a JSON array by the field list of
--   ../read/account-books.ts; and a JSON array of holds in their order, each four numbers: end (ms), day, count, micros
-- Returns how many accounts were written; -1 when another epoch has begun
-- Why atomic: the first account that is written begins the publisher's hash anew, and no reservation may come between.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/counts.lua

call_begin()
local accounts, broken, epoch = KEYS[1], KEYS[2], ARGV[1]
if redis.call('HGET', KEYS[3], 'id') ~= epoch then
  return -1
end
local mark = redis.call('HGET', accounts, EPOCH_FIELD)
if mark == epoch then
  return 0
end
-- The time of the publisher does not step back with the loss of its accounts.
local now = books_of(accounts, broken, clock_ms()).now
if mark ~= epoch .. EPOCH_REBUILDING then
  redis.call('UNLINK', accounts)
  redis.call('HSET', accounts, TIME_FIELD, string.format('%.0f', now), EPOCH_FIELD, epoch .. EPOCH_REBUILDING, DAYS_FIELD, ARGV[4])
end

local written = 0
for i = 5, #ARGV, 3 do
  local field = ARGV[i]
  if redis.call('HEXISTS', accounts, field) == 0 then
    local counts = counts_record(cjson.decode(ARGV[i + 1]))
    local a = account_new(counts.day)
    account_add_counts(a, counts)
    local holds = cjson.decode(ARGV[i + 2])
    for at = 1, #holds, 4 do
      account_hold(a, holds[at], holds[at + 1], holds[at + 2], holds[at + 3])
    end
    -- What a rate limit has given in the last seconds is not known: it is taken as used up. Campaigns have none.
    if string.sub(field, 1, 1) == 'l' then
      a[RATE_TOKENS], a[RATE_AT] = 0, now
    end
    account_check_records(a)
    redis.call('HSET', accounts, field, account_pack(a))
    redis.call('HDEL', broken, accounts .. ' ' .. field)
    written = written + 1
  end
end
if ARGV[3] == '1' then
  redis.call('HSET', accounts, EPOCH_FIELD, epoch)
end
redis.call('EXPIREAT', accounts, tonumber(ARGV[2]))
return written
