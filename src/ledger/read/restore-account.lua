-- Raises an account to counts rebuilt from the stored events. Never lowers a count, and keeps open
-- holds.
--
-- KEYS[1] accounts of the publisher (hash)
-- ARGV[1] field, ARGV[2] counts, a JSON array by the field list of restore-account.ts, ARGV[3] expires_at_s,
--   ARGV[4] '1' to change nothing
-- Returns 1 when the account was lower somewhere, 0 when it was not, -1 when it is at another day
-- Why atomic: a hit that settles in the meantime is in the account, or in event rows to come;
--   counts only grow, so the larger one is right.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua

local counts = counts_record(cjson.decode(ARGV[2]))
local a = account_open(redis.call('HGET', KEYS[1], ARGV[1]) or nil, clock_ms())
if a[DAY] ~= counts.day then
  return -1
end

local lower = 0
local function raise(field, count)
  if a[field] < count then
    a[field] = count
    lower = 1
  end
end
raise(SERVES, counts.serves)
raise(IMPRESSIONS, counts.impressions)
raise(CLICKS, counts.clicks)
raise(SPEND, counts.spend_micros)
raise(P_SERVES, counts.yesterday_serves)
raise(P_IMPRESSIONS, counts.yesterday_impressions)
raise(P_CLICKS, counts.yesterday_clicks)
raise(P_SPEND, counts.yesterday_spend_micros)
raise(T_IMPRESSIONS, counts.total_impressions)
raise(T_SPEND, counts.total_spend_micros)

if lower == 1 and ARGV[4] ~= '1' then
  redis.call('HSET', KEYS[1], ARGV[1], account_pack(a))
  redis.call('EXPIREAT', KEYS[1], tonumber(ARGV[3]))
end
return lower
