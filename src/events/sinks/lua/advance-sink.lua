-- Notes up to which entry a sink has the events of a shard, and deletes what Postgres and every sink have.
--
-- KEYS[1] event stream, KEYS[2] marks of the sinks, KEYS[3] owner of the shard for this sink
-- ARGV[1] this replica, ARGV[2] the sink, ARGV[3] id of the entry, then the names of all sinks
-- Returns 1, or 0 when another replica has the shard by now: its mark stays
-- Why atomic: a replica that was away for long must not put the mark back.
--
-- @include trim-events.lua

if redis.call('GET', KEYS[3]) ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
trim_events(KEYS[1], KEYS[2], { unpack(ARGV, 4) })
return 1
