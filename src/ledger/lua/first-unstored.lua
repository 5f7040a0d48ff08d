-- Where an event stream begins that Postgres has not stored. Entries before it may still be there for sinks.
local EVENT_GROUP = 'postgres' -- ledger/read/event-group.ts

-- Returns the next possible id of an entry.
local function id_after(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return ms .. '-' .. string.format('%.0f', tonumber(seq) + 1)
end

-- Returns what XINFO says, by its names.
local function by_name(list)
  local about = {}
  for i = 1, #list, 2 do
    about[list[i]] = list[i + 1]
  end
  return about
end

-- Returns how many entries were delivered to no replica. Redis (seen with 7.0) keeps no count of what was read since its append-only file
-- was rewritten: after a restart its lag is too high, until it is corrected here when all are delivered, as many as were ever added.
local function undelivered(events, group)
  local last = group['last-delivered-id']
  if group.lag == 0 or #redis.call('XRANGE', events, id_after(last), '+', 'COUNT', 1) > 0 then
    return group.lag or redis.call('XLEN', events)
  end
  if group.lag then
    local added = by_name(redis.call('XINFO', 'STREAM', events))['entries-added']
    redis.call('XGROUP', 'SETID', events, EVENT_GROUP, last, 'ENTRIESREAD', added)
  end
  return 0
end

-- Returns an id: no entry before it waits for Postgres, and how many entries wait.
local function first_unstored(events)
  local pending = redis.pcall('XPENDING', events, EVENT_GROUP)
  -- The group is created by the first read.
  if pending.err then
    return '0-0', redis.call('XLEN', events)
  end
  for _, fields in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local group = by_name(fields)
    if group.name == EVENT_GROUP then
      local first = pending[1] > 0 and pending[2] or id_after(group['last-delivered-id'])
      return first, math.min(pending[1] + undelivered(events, group), redis.call('XLEN', events))
    end
  end
end
