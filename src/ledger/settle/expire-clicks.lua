-- Filters the hits whose impression has not come in time: neither to Redis nor to Postgres.
--
-- KEYS[1] event stream of the shard (the keys of the hits that wait and of the
--   tally of filtered hits are derived from it), KEYS[2] fold horizon of
--   the shard
-- ARGV[1] the most hits of one call
-- Returns how many were taken, and how many of them were filtered viewable events
-- Why atomic: an impression that comes in between would bill a hit that is filtered already.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/events.lua
-- @include ../lua/waiting.lua

call_begin()
local events = KEYS[1]
local horizon = tonumber(redis.call('GET', KEYS[2]) or '0')
local over = math.min(clock_ms(), horizon) - CLICK_WINDOW_MS - CLICK_MARGIN_MS
local names = redis.call('ZRANGEBYSCORE', waiting_due_key(events), '-inf', over, 'LIMIT', 0, ARGV[1])
local viewable = 0
for _, name in ipairs(names) do
  local at, record, event = waiting_take(events, name)
  if at then
    local h = hit_record(cjson.decode(record))
    viewable = viewable + (h.action == 'event' and 1 or 0)
    events_add_filtered(events, h, event, at, 'no_impression')
  else
    redis.call('ZREM', waiting_due_key(events), name)
  end
end
events_save()
return { #names, viewable }
