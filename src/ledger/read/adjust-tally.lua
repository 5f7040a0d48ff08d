-- Adds differences to fields of a tally. A field that comes to 0 is deleted.
--
-- KEYS[1] tally of the shard (hash), KEYS[2] number of the last adjustment in the shard
-- ARGV[1] that number when the tally was read, then pairs: a field and what is added to it
-- Returns 1; 0 when there was another adjustment since the tally was read
-- Why atomic: differences are added to what hits that settle meanwhile have counted; the number
--   keeps a call that was delayed from adding them twice.

local NUMBER_TTL_S = 86400
-- As of lua/tally.lua.
local TALLY_TTL_S = 259200

if (redis.call('GET', KEYS[2]) or '0') ~= ARGV[1] then
  return 0
end
redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], NUMBER_TTL_S)
for i = 2, #ARGV, 2 do
  if redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) <= 0 then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
if redis.call('TTL', KEYS[1]) == -1 then
  redis.call('EXPIRE', KEYS[1], TALLY_TTL_S)
end
return 1
