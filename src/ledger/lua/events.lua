-- Hits on their way to Postgres. A call appends one entry to the event stream of a shard, with all hits
-- that it settled there, one after the other: 'e' event 'at' ms 'billed' micros and, of a hit that the
-- ledger filtered, 'reason' reason (src/events/read-event.ts). With an entry for each hit, Redis appended,
-- delivered, acknowledged and deleted each one, and wrote each of the four to the append-only file.
-- Include after tally.lua.

-- A whole number as text. Most of a call are the same: its time, and the price of an ad.
local function whole(number)
  local text = call.texts[number] or string.format('%.0f', number)
  call.texts[number] = text
  return text
end

-- Adds a hit that counts.
local function events_add(events, event, at, billed)
  local entry = call.events[events] or {}
  call.events[events] = entry
  local last = #entry
  entry[last + 1], entry[last + 2] = 'e', event
  entry[last + 3], entry[last + 4] = 'at', whole(at)
  entry[last + 5], entry[last + 6] = 'billed', whole(billed)
end

-- Adds a filtered hit, and tallies it by its reason.
local function events_add_filtered(events, h, event, at, reason)
  events_add(events, event, at, 0)
  local entry = call.events[events]
  local last = #entry
  entry[last + 1], entry[last + 2] = 'reason', reason
  tally_add(events .. ':filtered', h.day, h.filtered_tally .. reason)
end

-- Appends the entries of this call.
local function events_save()
  for events, entry in pairs(call.events) do
    redis.call('XADD', events, '*', unpack(entry))
  end
end
