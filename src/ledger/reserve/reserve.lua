-- Reserves, for each impression of each request, the first of its ranked candidates that is under
-- all its limits.
--
-- KEYS per publisher p = 0, 1, …: KEYS[5p + 1] accounts of the publisher (hash), KEYS[5p + 2] serves tally of its
--   shard (hash), KEYS[5p + 3] fold horizon of the shard, KEYS[5p + 4] broken accounts of the shard (hash), KEYS[5p + 5]
--   its clients (the start of the names of two hashes);
--   then the frequency places of the user for each request that reads them, in the order of the requests; the last
--   one is the record of epochs (trust-books.lua)
-- ARGV[1] settings, ARGV[2] the number of publishers and the epoch of the books that the caller knows, ARGV[3] the clients of the requests, '-' for those whose holds
--   need not be earned ('': none has one), ARGV[r + 4] per request r = 0, 1, …: lines; the first is the request, then
--   one line per impression with its candidates, joined by ';'. All but the clients are JSON arrays by the field lists
--   of encode-reserve.ts and encode-candidate.ts. '<lot> <spare> ' before a candidate: if it wins, the replica wants
--   so many more ads of it (lots.lua).
-- Returns per request one string with a line per impression: the winner's position from 0, the end of its token
--   (epoch s), the end of its hold (ms) and its day, the lot and the spare that were granted and the publisher's time
--   (ms), then the no-bid reason of each candidate before the winner; without a winner -1 and the reason of each
--   candidate
-- Why atomic: limits are read and the winner is counted in one step, so two replicas cannot both
--   take the last place.
--
-- @include ../../redis/lua/clock.lua
-- @include ../../redis/lua/pieces.lua
-- @include ../lua/call.lua
-- @include ../lua/epoch.lua
-- @include ../lua/account.lua
-- @include ../lua/account-checks.lua
-- @include ../lua/holds.lua
-- @include ../lua/books.lua
-- @include ../lua/horizon.lua
-- @include ../lua/tally.lua
-- @include ../lua/frequency.lua
-- @include ../lua/bucket.lua
-- @include ../lua/pacing.lua
-- @include ../lua/limits.lua
-- @include ../lua/clients.lua
-- @include ../lua/lots.lua
-- @include ../lua/page.lua
-- @include ../lua/scarce.lua
-- @include trust-books.lua

-- Reservations that end in the same bucket share a hold. A life is divided into at most this many
-- buckets; their lengths are powers of two, so that the buckets of different lives coincide and an
-- account stays small whatever the lives of its tokens are.
local BUCKETS_PER_LIFE = 32

local PUBLISHER_KEYS = 5

local NO_CLIENT = '-'

-- When a candidate's hold ends (ms), and as text when its token (s) and its hold end. A hold is as
-- short as its use: the life of a token, never longer than the frequency window in which it takes a
-- place, and never longer than its request needs it; with a lot, as much longer as the lot may be
-- handed out. A token whose hold ends first is good for clicks and events until its own end.
local function moments_of(c, now, max_hold_ms, has_lot)
  local token_ttl_ms = call.settings.token_ttl_ms
  local life = c.window_ms >= 0 and math.min(token_ttl_ms, c.window_ms) or token_ttl_ms
  local held = max_hold_ms > 0 and math.min(life, max_hold_ms) or life
  if has_lot then
    held = held + lots_life(held)
  end
  local by_life = call.moments[now] or {}
  call.moments[now] = by_life
  local key = held == life and life or life .. ':' .. held
  local moments = by_life[key]
  if not moments then
    local token_exp = math.ceil((now + life) / 1000)
    local bucket = 1
    while bucket * BUCKETS_PER_LIFE < held do
      bucket = bucket * 2
    end
    local hold_end = math.ceil(math.ceil((now + held) / 1000) * 1000 / bucket) * bucket
    moments = { hold_end_ms = hold_end, text = string.format('%d %.0f ', token_exp, hold_end) }
    by_life[key] = moments
  end
  return moments
end

-- Holds the ad that is reserved, and the lots with it, in the accounts. Returns the moments as text and when the hold
-- ends (ms).
local function hold_with_lots(c, request, a, campaign, lot, spare)
  local book, count = request.book, 1 + lot + spare
  local moments = moments_of(c, book.now, request.head.max_hold_ms, count > 1)
  -- A click or a viewable event bills when it comes; until then its impression holds a place, and no
  -- money.
  local micros = c.bills_later and 0 or c.price_micros * count
  account_hold(a, moments.hold_end_ms, a[DAY], count, micros)
  account_hold(campaign, moments.hold_end_ms, a[DAY], count, micros)
  if pacing_applies(c) then
    pacing_take(a, campaign, c, 1 + lot)
  end
  return moments.text, moments.hold_end_ms
end

-- Counts the winner: the serve, the holds, and the use of its limits. `wanted` are the lot and the
-- spare. Returns its moments and lots as text.
local function take(c, request, a, campaign, wanted, permits)
  local book, day = request.book, a[DAY]
  local lot, spare = 0, 0
  if wanted then
    lot, spare = lots_grant(wanted.lot, wanted.spare, a, campaign, c, book.now, permits - 1)
  end
  a[SERVES] = a[SERVES] + 1
  campaign[SERVES] = campaign[SERVES] + 1
  local moments, hold_end = hold_with_lots(c, request, a, campaign, lot, spare)
  if c.rate_per_second >= 0 then
    a[RATE_TOKENS], a[RATE_AT] = limits_rate_tokens(a, c, book.now) - 1, book.now
  end
  if c.places >= 0 then
    frequency_hold(request.user, c.line_item, hold_end)
  end
  if request.client and limits_apply(c) then
    client_hold(request.clients, request.client, hold_end - book.now)
  end
  book.dirty[c.line_item], book.dirty[c.campaign] = true, true
  page_add(request.shown, c)
  tally_add_serves(request.serves, day, c.tally, 1)
  local lots = lot + spare > 0 and string.format(' %d %d %.0f', lot, spare, book.now) or ' 0 0 0'
  return moments .. day .. lots
end

-- Shows a candidate without limits whose accounts may not be used: nothing is held, and its impression counts later.
local function take_uncounted(c, request)
  local now = request.book.now
  page_add(request.shown, c)
  return string.format('%d 0 %d 0 0 0', math.ceil((now + call.settings.token_ttl_ms) / 1000), math.floor(now / MS_PER_DAY))
end

-- Requests of one call often have the same candidates, and the same line of their own: each is read
-- once. Returns the candidate, and the lots that are wanted of it or nil.
local function candidate_of(text)
  local of = call.candidates[text]
  if not of then
    local lot, spare, json = string.match(text, '^(%d+) (%d+) (.*)$')
    of = { c = candidate_record(cjson.decode(json or text)) }
    of.wanted = lot and { lot = tonumber(lot), spare = tonumber(spare) }
    call.candidates[text] = of
  end
  return of.c, of.wanted
end

local function head_of(text)
  local head = call.heads[text] or request_record(cjson.decode(text))
  call.heads[text] = head
  return head
end

-- Whether the client of a request may hold one more ad of a candidate that is under its limits.
local function is_earned(request, c, a, campaign, permits)
  local client, clients = request.client, request.clients
  return not client
    or not client_holds_many(clients, client)
    or not limits_apply(c)
    or client_may_hold(clients, client, limits_left(a, campaign, c, request.book.now, permits))
end

-- Takes a candidate, or returns why it may not be taken. What one impression of a request was
-- refused, the next one is too: within a call limits only fill up.
local function offer(text, request)
  local refused = request.refused[text]
  if refused then
    return nil, refused
  end
  local c, wanted = candidate_of(text)
  local book = request.book
  local together = page_refusal(request.shown, c)
  if together then
    return nil, together
  end
  local a, campaign = books_open(request.accounts, book, c.line_item, c.campaign)
  if not a then
    local rebuilding = limits_apply(c) and NBR.BOOKS_REBUILDING or nil
    request.refused[text] = rebuilding
    return not rebuilding and take_uncounted(c, request), rebuilding
  end
  local reason, sampled, permits = limits_refusal(a, campaign, c, request.user, book.now, request.head, call.settings)
  if not reason and not is_earned(request, c, a, campaign, permits) then
    reason = NBR.HOLDS_NOT_EARNED
  end
  if sampled then
    book.dirty[c.line_item], book.dirty[c.campaign] = true, true
  end
  request.refused[text] = reason
  if a[HELD_COUNT] > 0 and (reason == NBR.DAILY_CAP or reason == NBR.BUDGET_SPENT or reason == NBR.GOAL_REACHED) then
    scarce_note(request.accounts, c.line_item, book.now)
  end
  return not reason and take(c, request, a, campaign, wanted, permits), reason
end

local function reserve_imp(line, request)
  local reasons, position = '', 0
  for text in pieces(line, ';') do
    local taken, reason = offer(text, request)
    if taken then
      return position .. ' ' .. taken .. reasons
    end
    position = position + 1
    reasons = reasons .. ' ' .. reason
  end
  return '-1' .. reasons
end

-- Reads the first line of a request and notes its client, so that all clients are read together.
-- `keys` are the KEYS of the call.
local function request_of(text, client, keys)
  local lines = pieces(text, '\n')
  local head = head_of(lines())
  local at = head.publisher * PUBLISHER_KEYS
  local request = { at = at, head = head, lines = lines, client_key = keys[at + 5], shown = {}, refused = {} }
  if client and client ~= NO_CLIENT then
    request.client_name, request.clients = client, clients_of(request.client_key)
    clients_note(request.clients, client)
  end
  return request
end

-- Returns the answer to a request.
local function reserve(request, keys)
  local at, head, lines = request.at, request.head, request.lines
  local accounts = keys[at + 1]
  local book = books_of(accounts, keys[at + 4], call.clock, horizon_of(keys[at + 3]))
  request.accounts, request.book, request.serves = accounts, book, keys[at + 2]
  if request.clients then
    clients_open(request.clients, request.client_key, book.now)
    request.client = request.clients.open[request.client_name]
  end
  if head.reads_places then
    call.own_key = call.own_key + 1
    request.user = frequency_open(keys[call.own_key], book.now, book.horizon)
  end
  local replies = {}
  for line in lines do
    replies[#replies + 1] = reserve_imp(line, request)
  end
  call.expires_at[accounts] = head.expires_at_s
  return table.concat(replies, '\n')
end

local function reserve_ads(keys, args)
  call_begin()
  call.clock = clock_ms()
  call.settings = settings_record(cjson.decode(args[1]))
  -- The moments by publisher's time and life, the records by text, the ends of the hashes.
  call.moments, call.candidates, call.heads, call.expires_at = {}, {}, {}, {}
  -- The last of the publishers' keys; the users' places follow.
  call.own_key = call_scope(args[2], keys) * PUBLISHER_KEYS
  call.is_trusted = books_are_trusted()
  local requests, results = {}, {}
  local clients = pieces(args[3], ' ')
  for i = 4, #args do
    requests[i - 3] = request_of(args[i], clients(), keys)
  end
  for i, request in ipairs(requests) do
    results[i] = reserve(request, keys)
  end
  frequency_save()
  books_save(call.expires_at)
  tally_save()
  clients_save()
  return results
end
