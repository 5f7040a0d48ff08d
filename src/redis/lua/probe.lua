-- Shows that a node accepts writes, and whose counters it holds.
--
-- KEYS[1] claim of the shard (string)
-- ARGV[1] the claim of the caller's installation, ARGV[2] ttl_ms
-- Returns the server's clock in whole epoch milliseconds, and the claim that the shard holds: the
--   caller's, unless there was one
-- Why atomic: two installations that start together must not both find the shard free.
--
-- @include clock.lua

local claim = redis.call('GET', KEYS[1]) or ARGV[1]
redis.call('SET', KEYS[1], claim, 'PX', ARGV[2])
return { clock_ms(), claim }
