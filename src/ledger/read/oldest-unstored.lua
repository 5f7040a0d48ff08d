-- Finds the oldest event of a shard that Postgres has not stored, and corrects the lag of the group when Redis has it wrong.
--
-- KEYS[1] event stream of the shard
-- Returns the id of its entry or '', and how many entries wait
-- Why atomic: an entry that is delivered in between is in neither of what is read.
--
-- @include ../lua/first-unstored.lua

local events = KEYS[1]
local first, delivered, group = first_unstored(events)
local entry = redis.call('XRANGE', events, first, '+', 'COUNT', 1)[1]
local length = redis.call('XLEN', events)
if not group then
  return { entry and entry[1] or '', length }
end
local last = group['last-delivered-id']
local lag = group.lag or length - delivered
if lag > 0 and #redis.call('XRANGE', events, id_after(last), '+', 'COUNT', 1) == 0 then
  -- All are delivered, as many as were ever added.
  if group.lag then
    local stream = redis.call('XINFO', 'STREAM', events)
    for i = 1, #stream, 2 do
      if stream[i] == 'entries-added' then
        redis.call('XGROUP', 'SETID', events, EVENT_GROUP, last, 'ENTRIESREAD', stream[i + 1])
      end
    end
  end
  lag = 0
end
return { entry and entry[1] or '', math.min(delivered + lag, length) }
