-- Settles what follows an impression: clicks, and events that bill, whether they come after it or have waited for it.
-- @include ../lua/waiting.lua
-- @include ../lua/activity.lua
-- @include ../lua/provisional.lua
-- @include ../lua/frequency.lua

-- Why a hit that needs an impression is filtered, or ''. The rules of tracking/invalid-traffic/rules.ts.
-- `impression_at` is nil while the impression has not been counted.
local function order_fault(h, at, impression_at)
  local since = impression_at and at - impression_at or -1
  if h.action == 'click'
    and (math.abs(at - h.served_at_ms) < CLICK_MIN_REACTION_MS or (since >= 0 and since < CLICK_MIN_REACTION_MS)) then
    return 'fast_click'
  end
  return since < -CLICK_WINDOW_MS and 'no_impression' or ''
end

-- Where the hits of a publisher are counted.
local function places_of(keys, first, book, places_key)
  return {
    accounts_key = keys[first + 1], book = book, events = keys[first + 2], event_tally = keys[first + 3], serves = keys[first + 4],
    places_key = places_key,
  }
end

-- Settles a hit that came after its impression: a click as what its visitor, network and creative have done allows. Returns
-- 'counted', 'provisional' or why it is filtered.
local function settle_later(h, at, record, event, of)
  local verdict, is_repeat = '', false
  if h.action == 'event' then
    tally_add(of.event_tally, h.day, h.event_tally)
  elseif h.restored == '' then
    verdict, is_repeat = activity_click(h, at, of.events, of.serves, of.book.days)
  end
  -- A click that is judged later counts for a user's caps until then, and after.
  if h.has_user and h.counted and (verdict == '' or verdict == 'provisional') then
    frequency_confirm(frequency_open(of.places_key, of.book.now), h.counted, nil, at)
  end
  if verdict == 'provisional' then
    provisional_hold(of.events, h, at, record, event, of.accounts_key, of.book, is_repeat)
    return verdict
  elseif verdict ~= '' then
    events_add_filtered(of.events, h, event, at, verdict)
    return verdict
  end
  events_add(of.events, event, at, (settle_accounts(h, of.accounts_key, of.book)))
  if is_repeat then
    events_say(of.events, 'repeat', '1')
  end
  return 'counted'
end

-- Settles a hit that has waited for this impression. Returns as settle_later, and '-' when none waited; and its label.
local function settle_waiting(name, impression_at, of)
  local at, record, event = waiting_take(of.events, name)
  if not at then
    return '-'
  end
  local waited = hit_record(cjson.decode(record))
  local fault = order_fault(waited, at, impression_at)
  if fault ~= '' then
    events_add_filtered(of.events, waited, event, at, fault)
    return fault, waited.label
  end
  return settle_later(waited, at, record, event, of), waited.label
end
