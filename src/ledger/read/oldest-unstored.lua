-- Finds the oldest event of a shard that Postgres has not stored. Changes nothing but a lag that is wrong (first-unstored.lua).
--
-- KEYS[1] event stream of the shard
-- Returns the id of its entry or '', and how many entries wait
-- Why atomic: an entry that is delivered in between is in neither of what is read.
--
-- @include ../lua/first-unstored.lua

local first, waiting = first_unstored(KEYS[1])
local entry = redis.call('XRANGE', KEYS[1], first, '+', 'COUNT', 1)[1]
return { entry and entry[1] or '', waiting }
