-- Takes, keeps or leaves a shard for a sink.
--
-- KEYS[1] owner of the shard for this sink
-- ARGV[1] this replica, ARGV[2] how long it keeps the shard in ms; 0: it leaves it
-- Returns 1 when the shard is this replica's
-- Why atomic: two replicas that find no owner must not both take the shard.

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return 0
end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
