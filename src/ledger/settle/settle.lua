-- Settles hits: counts each once, bills it, confirms what was reserved for it, and appends it to
-- the event stream of its shard (../lua/events.lua). A click, or an event that bills, that comes
-- before its impression waits for it (../lua/waiting.lua) and is settled with it.
--
-- KEYS per publisher p = 0, 1, …: KEYS[6p + 1] accounts of the publisher (hash), KEYS[6p + 2] event stream of its
--   shard, KEYS[6p + 3] event tally of the shard (hash), KEYS[6p + 4] serves tally of the shard (hash), KEYS[6p + 5]
--   broken accounts of the shard (hash), KEYS[6p + 6] its clients (the start of the names of two hashes); then per
--   hit the kinds already seen of its token (string) and, of a hit with a user, the user's frequency
--   places; the last one is the record of epochs (../reserve/trust-books.lua). The keys of the hits that wait are derived
--   from that of the stream.
-- ARGV[1] the number of publishers and the epoch of the books that the caller knows; per hit h = 0, 1, …: ARGV[2h + 2] a JSON array by the field list of
--   encode-settle.ts, ARGV[2h + 3] the event as JSON
--   label: what is counted once, such as 'impression', 'event:like', or 'impression!' for one that its request
--   shows to be invalid; action: 'impression', 'click', 'event', 'release' (an event that ends the hold) or 'record' (store only); a limit of -1 is not set;
--   hold_end_ms is 0 when nothing was reserved; late_at_ms: when the hit was accepted, if that was while Redis was
--   unavailable, else 0; impression_at_ms: when the impression of a hit that waits for it was counted, if its row says so, else 0;
--   client: who holds the ad, '' when its hold need not be earned; user_at, network_at: the counters of
--   impressions of its user and its network; visitor, network: of a click, the names of both, '' when unknown;
--   restored: '', or of a hit that is counted after all a JSON array of why it was filtered and of its caps (restore.lua)
-- Returns per hit 'outcome found_hold reason click event': 'counted', 'filtered', 'waiting' (for its impression),
--   'provisional' (a click that is judged later), 'duplicate', 'expired', 'closed' (its accounts are not rebuilt: nothing has
--   changed) or 'kept' (a restored hit without room stays filtered); 1 or 0; why a hit is filtered by the ledger, or '-'; what became of the
--   click, and of the event that bills, that waited for this impression: 'counted', 'provisional', a reason, or '-'
-- Why atomic: the check for duplicates, the billing and the stored event are one step, so no hit is
--   billed twice or stored without being billed.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/dedupe.lua
-- @include ../lua/restore.lua
-- @include release.lua
-- @include followers.lua

local PUBLISHER_KEYS = 6
local ARGS_OF_HIT = 2

-- Why a restored hit stays filtered: only an impression needs room, the others bill what is left.
local function restore_refusal(h, accounts_key, book, places_key, at)
  local caps = restored_record(cjson.decode(h.restored))
  local a, campaign = books_open(accounts_key, book, h.line_item, h.campaign)
  if h.action == 'impression' and not restore_has_room(h, caps, a, campaign, places_key, at, book.now) then
    return caps.reason
  end
end

-- What has been seen of a token: its labels, and after '@' when its impression was counted.
local function seen_with(seen, label, impression_at)
  local first = seen == '' and ',' or seen
  return impression_at and first .. label .. ',@' .. whole(impression_at) .. ',' or first .. label .. ','
end

local function next_key(keys)
  call.own_key = call.own_key + 1
  return keys[call.own_key]
end

-- `i`: its number in the call.
local function settle(h, i, record, event, keys)
  local first = h.publisher * PUBLISHER_KEYS
  local accounts_key, events, event_tally, serves = keys[first + 1], keys[first + 2], keys[first + 3], keys[first + 4]
  local book = books_of(accounts_key, keys[first + 5], call.clock)
  if book.state ~= 'open' and not books_open(accounts_key, book, h.line_item, h.campaign) then
    return 'closed 0 - - -'
  end
  local seen_key, places_key = h.seen_key, h.places_key
  call.expires_at[accounts_key] = h.expires_at_s
  local now = book.now
  local exp_ms = h.token_exp_s * 1000
  -- This clock decides: that of a replica may be minutes ahead or behind (tracking/tokens.ts).
  -- An impression ends with its hold, which may be before the token (endMsOf in ../hit.ts).
  local is_impression = h.action == 'impression'
  -- A hit that counts, or bills, only with its impression.
  local follows = h.action == 'click' or (h.action == 'event' and h.bills)
  local is_held = is_impression and h.hold_end_ms > 0
  if h.late_at_ms == 0 and now >= (is_held and math.min(exp_ms, h.hold_end_ms) or exp_ms) then
    return 'expired 0 - - -'
  end
  local at = h.late_at_ms > 0 and h.late_at_ms or now
  local ttl_ms = math.max(exp_ms - now, 0) + DEDUPE_MARGIN_MS
  -- The first hit of most tokens is their impression: one command reads and writes what was seen.
  local is_written, seen = is_impression and h.restored == '', nil
  if is_written then
    seen = redis.call('SET', seen_key, seen_with('', h.label, at), 'PX', ttl_ms, 'NX', 'GET') or ''
  else
    seen = redis.call('GET', seen_key) or ''
  end
  if seen ~= '' and string.find(seen, ',' .. h.label .. ',', 1, true) then
    return 'duplicate 0 - - -'
  end
  -- What was seen of a token is forgotten some time after its end, a hit that waits is not.
  if follows and h.late_at_ms > 0
    and (waiting_has(events, waiting_name(h.token, h.action)) or (h.action == 'click' and provisional_has(events, h.token))) then
    return 'duplicate 0 - - -'
  end
  local kept_reason = h.restored ~= '' and restore_refusal(h, accounts_key, book, places_key, at)
  local is_release = h.action == 'release' and release_is_due(h, seen, now)
  if is_release then
    -- The impression of an ad that was given back is known as seen: its place may be another's.
    seen = seen_with(seen, 'impression')
  end
  if seen ~= '' or not is_written then
    redis.call('SET', seen_key, seen_with(seen, h.label, is_impression and not kept_reason and at), 'PX', ttl_ms)
  end
  if kept_reason then
    events_add_filtered(events, h, event, at, kept_reason)
    return 'kept 1 - - -'
  end
  if follows then
    local impression_at = tonumber(string.match(seen, '@(%d+),') or h.impression_at_ms)
    impression_at = impression_at > 0 and impression_at or nil
    local fault = order_fault(h, at, impression_at)
    if fault ~= '' then
      events_add_filtered(events, h, event, at, fault)
      return 'filtered 1 ' .. fault .. ' - -'
    elseif not impression_at then
      waiting_hold(events, waiting_name(h.token, h.action), at, record, event)
      return 'waiting 1 - - -'
    end
    local became = settle_later(h, at, record, event, places_of(keys, first, book, places_key))
    local is_filtered = became ~= 'counted' and became ~= 'provisional'
    return is_filtered and 'filtered 1 ' .. became .. ' - -' or became .. ' 1 - - -'
  end
  call.is_shown[i] = true
  if is_impression and activity_impression(i) then
    -- No click has an impression by it. Its hold ends without it.
    redis.call('SET', seen_key, seen_with(seen, h.label), 'PX', ttl_ms)
    h.filtered_tally = string.sub(h.line_item, 2) .. ':impression:'
    events_add_filtered(events, h, event, at, 'activity')
    return 'filtered 1 activity - -'
  end

  -- Before the accounts, which stay as they are when the places cannot be read.
  if is_impression and h.has_user and h.counted then
    frequency_confirm(frequency_open(places_key, now), h.counted, h.hold_end_ms, at)
  end
  local billed, found = 0, true
  if is_impression then
    billed, found = settle_accounts(h, accounts_key, book, serves)
  elseif h.action == 'event' or h.action == 'release' then
    tally_add(event_tally, h.day, h.event_tally)
  end
  if is_release then
    release_hold(h, accounts_key, book, places_key, keys[first + 6])
  end
  if h.action == 'record' then
    events_add_filtered(events, h, event, at, h.reason)
    return 'filtered 1 - - -'
  end
  events_add(events, event, at, billed)
  if h.client ~= '' and is_impression then
    local clients = clients_of(keys[first + 6])
    clients_open(clients, keys[first + 6], now)
    client_render(clients, clients.open[h.client], h.hold_end_ms - h.served_at_ms)
  end
  local click, billing = '-', '-'
  if is_impression and (seen ~= '' or h.late_at_ms > 0) then
    local of = places_of(keys, first, book, places_key)
    local function is_seen(label)
      return string.find(seen, ',' .. label .. ',', 1, true)
    end
    local function settle_follower(action, may_wait)
      if h.late_at_ms == 0 and not may_wait then
        return '-'
      end
      local became, label = settle_waiting(waiting_name(h.token, action), at, of)
      -- What was seen of the token may have been forgotten since the hit came, and the same hit may
      -- wait in Postgres too.
      if label and not is_seen(label) then
        redis.call('APPEND', seen_key, label .. ',')
      end
      return became
    end
    click = settle_follower('click', is_seen('click'))
    billing = settle_follower('event', is_seen('event:viewable') or is_seen('event:complete'))
  end
  return (found and 'counted 1 - ' or 'counted 0 - ') .. click .. ' ' .. billing
end

local function settle_hits(keys, args)
  call_begin()
  call.clock = clock_ms()
  call.expires_at = {}
  -- The last of the publishers' keys; those of the hits follow.
  call.own_key = call_scope(args[1], keys) * PUBLISHER_KEYS
  local hits, results = {}, {}
  for i = 2, #args, ARGS_OF_HIT do
    local h = hit_record(cjson.decode(args[i]))
    hits[#hits + 1] = h
    h.seen_key, h.places_key = next_key(keys), h.has_user and next_key(keys)
    if h.client ~= '' and (h.action == 'impression' or h.action == 'release') then
      clients_note(clients_of(keys[h.publisher * PUBLISHER_KEYS + 6]), h.client)
    end
  end
  local function events_of(h)
    return keys[h.publisher * PUBLISHER_KEYS + 2]
  end
  activity_count(hits, events_of)
  -- What cannot be read of one hit does not undo the others, which are known as seen by now. The caller
  -- sends all of them again.
  local fault
  for i, h in ipairs(hits) do
    local is_settled, result = pcall(settle, h, i, args[ARGS_OF_HIT * i], args[ARGS_OF_HIT * i + 1], keys)
    results[i], fault = result, fault or (not is_settled and result)
  end
  activity_uncount(hits, events_of)
  frequency_save()
  events_save()
  books_save(call.expires_at)
  tally_save()
  clients_save()
  return fault and error(fault, 0) or results
end
