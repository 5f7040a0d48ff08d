-- The clock of the server that holds a key, in whole milliseconds.
--
-- KEYS[1] any key of the shard
-- Returns epoch milliseconds
-- Why a script: in a cluster TIME alone cannot be sent to the node of a key, and each node has a clock of its own.
--
-- @include clock.lua

return clock_ms()
