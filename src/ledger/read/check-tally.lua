-- Reads fields of a tally together with what is on its way to Postgres.
--
-- KEYS[1] tally of the shard (hash), KEYS[2] event stream of the shard, KEYS[3] number of the last adjustment in the shard
-- ARGV[1] the most events of the stream that are returned, ARGV[2], … fields of the tally
-- Returns the number of the last adjustment; the values of the stream's entries, or nil when there are more events; the
--   counts of the fields, 0 for one that is not there
-- Why atomic: a hit that settles in between would be in the stream and not in the tally.
--
-- @include ../lua/unstored.lua

local entries = unstored_entries(KEYS[2], tonumber(ARGV[1]))
local counts = redis.call('HMGET', KEYS[1], unpack(ARGV, 2))
for i = 1, #ARGV - 1 do
  counts[i] = tonumber(counts[i] or '0')
end
return { redis.call('GET', KEYS[3]) or '0', entries, counts }
