-- Reads what is on its way from a shard to Postgres. Changes nothing but a lag that is wrong (first-unstored.lua).
--
-- KEYS[1] event stream of the shard
-- ARGV[1] the most events that are returned
-- Returns the values of the stream's entries (../lua/events.lua), or nil when there are more events
-- Why a script: entries are counted by their events, and read in one step.
--
-- @include ../lua/unstored.lua

return unstored_entries(KEYS[1], tonumber(ARGV[1]))
