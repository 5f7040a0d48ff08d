-- Deletes the entries of an event stream that Postgres and all sinks have.
-- @include ../../../ledger/lua/first-unstored.lua
local function id_less(a, b)
  local a_ms, a_seq = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_seq = string.match(b, '^(%d+)-(%d+)$')
  if a_ms == b_ms then
    return tonumber(a_seq) < tonumber(b_seq)
  end
  return tonumber(a_ms) < tonumber(b_ms)
end

-- A sink without a mark has no entry yet.
local function trim_events(events, marks, sinks)
  local first = first_unstored(events)
  for _, mark in ipairs(redis.call('HMGET', marks, unpack(sinks))) do
    if not mark then
      return
    end
    local next_id = id_after(mark)
    if id_less(next_id, first) then
      first = next_id
    end
  end
  redis.call('XTRIM', events, 'MINID', first)
end
