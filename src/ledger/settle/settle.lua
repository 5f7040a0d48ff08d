-- Settles hits: counts each once, bills it, confirms what was reserved for it, and appends it to
-- the event stream of its shard. A click that comes before its impression waits for it
-- (../lua/clicks.lua) and is settled with it.
--
-- KEYS per publisher p = 0, 1, …: KEYS[6p + 1] accounts of the publisher (hash), KEYS[6p + 2] event stream of its
--   shard, KEYS[6p + 3] event tally of the shard (hash), KEYS[6p + 4] serves tally of the shard (hash), KEYS[6p + 5]
--   broken accounts of the shard (hash), KEYS[6p + 6] its clients (the start of the names of two hashes); then per
--   hit the kinds already seen of its token (string) and, of a hit with a user, the user's frequency
--   places. The keys of the clicks that wait are derived from that of the stream.
-- ARGV[1] the number of publishers; per hit h = 0, 1, …: ARGV[2h + 2] a JSON array by the field list of
--   encode-settle.ts, ARGV[2h + 3] the event as JSON
--   label: what is counted once, such as 'impression', 'event:like', or 'impression!' for one that its request
--   shows to be invalid; action: 'impression', 'click', 'event' or 'record' (store only); a limit of -1 is not set;
--   hold_end_ms is 0 when nothing was reserved; late_at_ms: when the hit was accepted, if that was while Redis was
--   unavailable, else 0; impression_at_ms: when the impression of a click was counted, if its row says so, else 0;
--   client: who holds the ad, '' when its hold need not be earned;
--   restored: '', or of a hit that is counted after all a JSON array of why it was filtered and of its caps (restore.lua)
-- Returns per hit 'outcome found_hold reason click': 'counted', 'filtered', 'provisional' (a click that waits for its
--   impression), 'duplicate', 'expired' or 'kept' (a restored hit without room stays filtered); 1 or 0; why a click is filtered, or '-'; what became of the click that
--   waited for this impression: 'counted', a reason, or '-'
-- Why atomic: the check for duplicates, the billing and the stored event are one step, so no hit is
--   billed twice or stored without being billed.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/call.lua
-- @include ../lua/account.lua
-- @include ../lua/holds.lua
-- @include ../lua/books.lua
-- @include ../lua/tally.lua
-- @include ../lua/frequency.lua
-- @include ../lua/clicks.lua
-- @include ../lua/clients.lua
-- @include ../lua/restore.lua

-- The kinds of a token are remembered this long after its end, so that a hit that went to Postgres
-- in the meantime is recognized when it is folded.
local DEDUPE_MARGIN_MS = 600000

local PUBLISHER_KEYS = 6

-- The amount that a click may bill: its price, or what is left of a limit if that is less.
local function click_bill(h, a, campaign)
  -- The held sums of a broken account mean nothing.
  local function held(account, field)
    return account[BROKEN] == 0 and account[field] or 0
  end
  local left = h.price_micros
  -- Of a day that the account no longer knows, nothing is known to be left. For a restored click,
  -- tracking/refilter-day.ts has checked that day.
  if h.daily_spend_micros >= 0 and (h.restored == '' or h.day >= a[DAY] - 1) then
    local spent = h.day == a[DAY] and a[SPEND] + held(a, HELD_MICROS)
      or h.day == a[DAY] - 1 and a[P_SPEND]
      or h.daily_spend_micros
    left = math.min(left, h.daily_spend_micros - spent)
  end
  if h.budget_micros >= 0 then
    left = math.min(left, h.budget_micros - a[T_SPEND] - held(a, HELD_TOTAL))
  end
  if h.campaign_budget_micros >= 0 then
    left = math.min(left, h.campaign_budget_micros - campaign[T_SPEND] - held(campaign, HELD_TOTAL))
  end
  return math.max(left, 0)
end

local function add_impression(account, day, billed)
  account_add(account, day, IMPRESSIONS, P_IMPRESSIONS, 1)
  account_add(account, day, SPEND, P_SPEND, billed)
  account[T_IMPRESSIONS] = account[T_IMPRESSIONS] + 1
  account[T_SPEND] = account[T_SPEND] + billed
end

local function add_click(account, day, billed)
  account_add(account, day, CLICKS, P_CLICKS, 1)
  account_add(account, day, SPEND, P_SPEND, billed)
  account[T_SPEND] = account[T_SPEND] + billed
end

-- Moves an impression from held to delivered. Returns whether the hold existed.
local function settle_impression(h, a, campaign, held_micros, serves)
  local found = true
  if h.hold_end_ms == 0 then
    account_add(a, h.day, SERVES, P_SERVES, 1)
    account_add(campaign, h.day, SERVES, P_SERVES, 1)
    tally_add_serves(serves, h.day, h.tally, 1)
  elseif h.restored == '' then
    found = account_unhold(a, h.hold_end_ms, h.day, 1, held_micros)
    account_unhold(campaign, h.hold_end_ms, h.day, 1, held_micros)
  end
  add_impression(a, h.day, held_micros)
  add_impression(campaign, h.day, held_micros)
  return found
end

-- Returns the billed amount, and whether an impression's hold existed.
local function settle_accounts(h, accounts_key, book, serves)
  local a, campaign = books_open(accounts_key, book, h.line_item, h.campaign)
  -- An ad that was served without counters has the day of its replica, whose clock may be ahead.
  if h.day > a[DAY] then
    account_roll_over(a, h.day)
    account_roll_over(campaign, h.day)
  end
  local billed, found = 0, true
  if h.action == 'impression' then
    billed = h.per_click and 0 or h.price_micros
    found = settle_impression(h, a, campaign, billed, serves)
  else
    billed = h.per_click and click_bill(h, a, campaign) or 0
    add_click(a, h.day, billed)
    add_click(campaign, h.day, billed)
  end
  book.dirty[h.line_item], book.dirty[h.campaign] = true, true
  return billed, found
end

-- Why a click is filtered, or ''. The rules of tracking/invalid-traffic/rules.ts. `impression_at` is nil while the
-- impression has not been counted.
local function click_fault(h, at, impression_at)
  local since = impression_at and at - impression_at or -1
  if math.abs(at - h.served_at_ms) < CLICK_MIN_REACTION_MS or (since >= 0 and since < CLICK_MIN_REACTION_MS) then
    return 'fast_click'
  end
  return since < -CLICK_WINDOW_MS and 'no_impression' or ''
end

-- Settles the click that has waited for this impression. Returns 'counted' or why it is filtered; '-': none waited.
local function settle_waiting_click(h, impression_at, accounts_key, book, events)
  local at, record, event = clicks_take(events, h.token)
  if not at then
    return '-'
  end
  local click = hit_record(cjson.decode(record))
  local fault = click_fault(click, at, impression_at)
  if fault ~= '' then
    events_add_filtered(events, click, event, at, fault)
    return fault
  end
  events_add(events, event, at, settle_accounts(click, accounts_key, book))
  return 'counted'
end

-- Why a restored hit stays filtered: only an impression needs room, a click bills what is left.
local function restore_refusal(h, accounts_key, book, places_key, at)
  local caps = restored_record(cjson.decode(h.restored))
  local a, campaign = books_open(accounts_key, book, h.line_item, h.campaign)
  if h.action == 'impression' and not restore_has_room(h, caps, a, campaign, places_key, at, book.now) then
    return caps.reason
  end
end

-- What has been seen of a token: its labels, and after '@' when its impression was counted.
local function seen_with(seen, label, impression_at)
  return (seen == '' and ',' or seen) .. label .. ',' .. (impression_at and string.format('@%.0f,', impression_at) or '')
end

local function next_key(keys)
  call.own_key = call.own_key + 1
  return keys[call.own_key]
end

local function settle(h, record, event, keys)
  local first = h.publisher * PUBLISHER_KEYS
  local accounts_key, events, event_tally, serves = keys[first + 1], keys[first + 2], keys[first + 3], keys[first + 4]
  local book = books_of(accounts_key, keys[first + 5], call.clock)
  local seen_key = next_key(keys)
  local places_key = h.has_user and next_key(keys)
  call.expires_at[accounts_key] = h.expires_at_s
  local now = book.now
  local exp_ms = h.token_exp_s * 1000
  -- This clock decides: that of a replica may be minutes ahead or behind (tracking/tokens.ts).
  -- An impression ends with its hold, which may be before the token (endMsOf in ../hit.ts).
  local is_impression, is_click = h.action == 'impression', h.action == 'click'
  local is_held = is_impression and h.hold_end_ms > 0
  if h.late_at_ms == 0 and now >= (is_held and math.min(exp_ms, h.hold_end_ms) or exp_ms) then
    return 'expired 0 - -'
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
  if string.find(seen, ',' .. h.label .. ',', 1, true) then
    return 'duplicate 0 - -'
  end
  -- What was seen of a token is forgotten some time after its end, a click that waits is not.
  if is_click and h.late_at_ms > 0 and clicks_has(events, h.token) then
    return 'duplicate 0 - -'
  end
  local kept_reason = h.restored ~= '' and restore_refusal(h, accounts_key, book, places_key, at)
  if seen ~= '' or not is_written then
    redis.call('SET', seen_key, seen_with(seen, h.label, is_impression and not kept_reason and at), 'PX', ttl_ms)
  end
  if kept_reason then
    events_add_filtered(events, h, event, at, kept_reason)
    return 'kept 1 - -'
  end
  if is_click then
    local impression_at = tonumber(string.match(seen, '@(%d+),') or h.impression_at_ms)
    impression_at = impression_at > 0 and impression_at or nil
    local fault = click_fault(h, at, impression_at)
    if fault ~= '' then
      events_add_filtered(events, h, event, at, fault)
      return 'filtered 1 ' .. fault .. ' -'
    elseif not impression_at then
      clicks_hold(events, h.token, at, record, event)
      return 'provisional 1 - -'
    end
  end

  local billed, found = 0, true
  if is_impression or is_click then
    billed, found = settle_accounts(h, accounts_key, book, serves)
  elseif h.action == 'event' then
    tally_add(event_tally, h.day, h.event_tally)
  end
  if is_impression and h.has_user and h.window_ms > 0 then
    local user = frequency_open(places_key)
    frequency_confirm(user, h.line_item, h.hold_end_ms, at + h.window_ms)
    frequency_save(user, now)
  end
  if h.action == 'record' then
    events_add_filtered(events, h, event, at, h.reason)
    return 'filtered 1 - -'
  end
  events_add(events, event, at, billed)
  if h.client ~= '' and is_impression then
    local clients = clients_of(keys[first + 6])
    clients_open(clients, keys[first + 6], now)
    client_render(clients, clients.open[h.client], h.hold_end_ms - h.served_at_ms)
  end
  local click = '-'
  if is_impression and (h.late_at_ms > 0 or string.find(seen, ',click,', 1, true)) then
    click = settle_waiting_click(h, at, accounts_key, book, events)
    -- What was seen of the token may have been forgotten since the click came, and the same click may
    -- wait in Postgres too.
    if click ~= '-' and not string.find(seen, ',click,', 1, true) then
      redis.call('APPEND', seen_key, 'click,')
    end
  end
  return (found and 'counted 1 - ' or 'counted 0 - ') .. click
end

local function settle_hits(keys, args)
  call_begin()
  call.clock = clock_ms()
  call.expires_at = {}
  -- The last of the publishers' keys; those of the hits follow.
  call.own_key = tonumber(args[1]) * PUBLISHER_KEYS
  local hits, results = {}, {}
  for i = 2, #args, 2 do
    local h = hit_record(cjson.decode(args[i]))
    hits[i / 2] = h
    if h.client ~= '' and h.action == 'impression' then
      clients_note(clients_of(keys[h.publisher * PUBLISHER_KEYS + 6]), h.client)
    end
  end
  for i, h in ipairs(hits) do
    results[i] = settle(h, args[2 * i], args[2 * i + 1], keys)
  end
  books_save(call.expires_at)
  tally_save()
  clients_save()
  return results
end
