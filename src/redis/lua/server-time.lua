-- The clock of the server that holds a key, in whole milliseconds.
--
-- KEYS[1] any key of the shard
-- Returns epoch milliseconds
-- Why a script: in a cluster, TIME alone cannot be routed to the node of a key, and the clocks of
--   nodes differ.
--
-- @include clock.lua

return clock_ms()
