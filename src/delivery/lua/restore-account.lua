-- Puts counts that were rebuilt from the stored events into an account, keeping its open holds.
--
-- KEYS[1] accounts of the publisher (hash)
-- ARGV[1] field, ARGV[2] 'day serves impressions clicks spend yesterday_serves yesterday_impressions yesterday_clicks yesterday_spend
--   total_impressions total_spend', ARGV[3] expires_at_s
-- Returns 1 when the account differed and was changed, 0 when it agreed
-- Why atomic: a hit that settles meanwhile must see either the old account or the new one.
--
-- @include clock
-- @include account

local counts = {}
for word in string.gmatch(ARGV[2], '%S+') do
  counts[#counts + 1] = tonumber(word)
end
local a = account_open(redis.call('HGET', KEYS[1], ARGV[1]) or nil, clock_ms())
if a[DAY] ~= counts[1] then
  return 0
end
local changed = 0
for field = SERVES, T_SPEND do
  if a[field] ~= counts[field] then
    a[field] = counts[field]
    changed = 1
  end
end
if changed == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(a))
  redis.call('EXPIREAT', KEYS[1], tonumber(ARGV[3]))
end
return changed
