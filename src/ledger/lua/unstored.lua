-- The entries of an event stream (events.lua) that Postgres has not stored, oldest first, if they have at most so many events.
-- @include first-unstored.lua
local ENTRIES_PER_READ = 50
local VALUES_PER_EVENT = 6

-- Returns the values of each entry, or false when there are more events.
local function unstored_entries(events, max_events)
  local from, waiting = first_unstored(events)
  -- An entry has at least one.
  if waiting > max_events then
    return false
  end
  local entries, values, read = {}, 0, nil
  repeat
    read = redis.call('XRANGE', events, from, '+', 'COUNT', ENTRIES_PER_READ)
    for _, entry in ipairs(read) do
      entries[#entries + 1], values, from = entry[2], values + #entry[2], '(' .. entry[1]
    end
    if values > max_events * VALUES_PER_EVENT then
      return false
    end
  until #read < ENTRIES_PER_READ
  return entries
end
