-- Hits on their way to Postgres. A call appends one entry to the event stream of a shard, with all hits
-- that it settled there, one after the other: 'e' event 'at' ms 'billed' micros; of a hit that the
-- ledger filtered, or that is provisional, 'reason' reason; 'repeat' 1 of another click of its visitor on the day; 'judged' 1
-- of a click that was provisional, whose event comes for the second time (src/events/read-event.ts). With an entry for each hit, Redis appended,
-- delivered, acknowledged and deleted each one, and wrote each of the four to the append-only file.
-- @include tally.lua

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

-- Adds to the last event of a stream.
local function events_say(events, name, value)
  local entry = call.events[events]
  local last = #entry
  entry[last + 1], entry[last + 2] = name, value
end

-- Adds a filtered hit, and tallies it by its reason.
local function events_add_filtered(events, h, event, at, reason)
  events_add(events, event, at, 0)
  events_say(events, 'reason', reason)
  tally_add(events .. ':filtered', h.day, h.filtered_tally .. reason)
end

-- Adds a click that was provisional: `reason` is '' when it counts.
local function events_add_judged(events, h, event, at, billed, reason, is_repeat)
  tally_add(events .. ':filtered', h.day, h.filtered_tally .. 'provisional', -1)
  if reason == '' then
    events_add(events, event, at, billed)
  else
    events_add_filtered(events, h, event, at, reason)
  end
  events_say(events, 'judged', '1')
  if is_repeat then
    events_say(events, 'repeat', '1')
  end
end

-- Appends the entries of this call.
local function events_save()
  for events, entry in pairs(call.events) do
    redis.call('XADD', events, '*', unpack(entry))
  end
end
