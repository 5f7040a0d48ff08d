-- Acknowledges entries that Postgres has, and deletes what every sink has too.
--
-- KEYS[1] event stream, KEYS[2] marks of the sinks
-- ARGV[1] number of sinks, then their names, then ids of entries
-- Returns nothing
-- Why atomic: what is deleted follows from the group and the marks as they are then.
--
-- @include trim-events.lua

local sinks, ids = {}, {}
for i = 2, #ARGV do
  local list = i <= 1 + tonumber(ARGV[1]) and sinks or ids
  list[#list + 1] = ARGV[i]
end
redis.call('XACK', KEYS[1], EVENT_GROUP, unpack(ids))
trim_events(KEYS[1], KEYS[2], sinks)
