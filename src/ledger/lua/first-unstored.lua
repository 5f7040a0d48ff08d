-- Where an event stream begins that Postgres has not stored. Entries before it may still be there for sinks.
local EVENT_GROUP = 'postgres' -- ledger/read/event-group.ts

-- Returns the next possible id of an entry.
local function id_after(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return ms .. '-' .. string.format('%.0f', tonumber(seq) + 1)
end

-- Returns an id: no entry before it waits for Postgres, and how many entries wait.
local function first_unstored(events)
  local pending = redis.pcall('XPENDING', events, EVENT_GROUP)
  -- The group is created by the first read.
  if pending.err then
    return '0-0', redis.call('XLEN', events)
  end
  for _, fields in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local about = {}
    for i = 1, #fields, 2 do
      about[fields[i]] = fields[i + 1]
    end
    if about.name == EVENT_GROUP then
      local waiting = about.lag and about.pending + about.lag or redis.call('XLEN', events)
      return pending[1] > 0 and pending[2] or id_after(about['last-delivered-id']), waiting
    end
  end
end
