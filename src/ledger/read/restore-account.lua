-- Raises an account to counts that were rebuilt from the stored events; never lowers one, and keeps its open holds.
--
-- KEYS[1] accounts of the publisher (hash)
-- ARGV[1] field, ARGV[2] 'day serves impressions clicks spend yesterday_serves yesterday_impressions yesterday_clicks yesterday_spend
--   total_impressions total_spend', ARGV[3] expires_at_s, ARGV[4] '1' to change nothing
-- Returns 1 when the account was lower somewhere, 0 when it was not, -1 when it stands at another day
-- Why atomic: a hit that settles meanwhile is in the account or in the event rows to come; as counts only grow, the larger one is right.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua

local counts = {}
for word in string.gmatch(ARGV[2], '%S+') do
  counts[#counts + 1] = tonumber(word)
end
local a = account_open(redis.call('HGET', KEYS[1], ARGV[1]) or nil, clock_ms())
if a[DAY] ~= counts[DAY] then
  return -1
end
local lower = 0
for field = SERVES, T_SPEND do
  if a[field] < counts[field] then
    a[field] = counts[field]
    lower = 1
  end
end
if lower == 1 and ARGV[4] ~= '1' then
  redis.call('HSET', KEYS[1], ARGV[1], account_pack(a))
  redis.call('EXPIREAT', KEYS[1], tonumber(ARGV[3]))
end
return lower
