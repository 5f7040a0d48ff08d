-- Filters the clicks whose impression has not come in time: neither to Redis nor to Postgres.
--
-- KEYS[1] event stream of the shard (the keys of the clicks that wait and of the
--   tally of filtered hits are derived from it), KEYS[2] fold horizon of
--   the shard
-- ARGV[1] the most clicks of one call
-- Returns how many were filtered
-- Why atomic: an impression that comes in between would bill a click that is filtered already.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/call.lua
-- @include ../lua/tally.lua
-- @include ../lua/clicks.lua

local events = KEYS[1]
local horizon = tonumber(redis.call('GET', KEYS[2]) or '0')
local over = math.min(clock_ms(), horizon) - CLICK_WINDOW_MS - CLICK_MARGIN_MS
local tokens = redis.call('ZRANGEBYSCORE', clicks_due_key(events), '-inf', over, 'LIMIT', 0, ARGV[1])
for _, token in ipairs(tokens) do
  local at, record, event = clicks_take(events, token)
  if at then
    events_add_filtered(events, hit_record(cjson.decode(record)), event, at, 'no_impression')
  else
    redis.call('ZREM', clicks_due_key(events), token)
  end
end
return #tokens
