-- Where an event stream begins that Postgres has not stored. Entries before it may still be there for sinks.
local EVENT_GROUP = 'postgres' -- ledger/read/event-group.ts

-- Returns the next possible id of an entry.
local function id_after(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return ms .. '-' .. string.format('%.0f', tonumber(seq) + 1)
end

-- Returns an id: no entry before it waits for Postgres; how many entries were delivered to a replica and wait; and what XINFO says of the
-- group, nothing before its first read. Its lag may be too high: Redis (7.0, 7.2) does not keep what was read since its append-only file
-- was rewritten, so that an empty stream has a lag after a restart (read/oldest-unstored.lua corrects it).
local function first_unstored(events)
  local pending = redis.pcall('XPENDING', events, EVENT_GROUP)
  if pending.err then
    return '0-0', 0
  end
  for _, fields in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local about = {}
    for i = 1, #fields, 2 do
      about[fields[i]] = fields[i + 1]
    end
    if about.name == EVENT_GROUP then
      return pending[1] > 0 and pending[2] or id_after(about['last-delivered-id']), pending[1], about
    end
  end
end
