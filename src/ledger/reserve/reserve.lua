-- Reserves, for each impression of each request, the first of its ranked candidates that is under
-- all its limits.
--
-- KEYS per publisher p = 0, 1, …: KEYS[5p + 1] accounts of the publisher (hash), KEYS[5p + 2] serves tally of its
--   shard (hash), KEYS[5p + 3] fold horizon of the shard, KEYS[5p + 4] broken accounts of the shard (hash), KEYS[5p + 5]
--   its clients (the start of the names of two hashes);
--   then for each request, in their order, the frequency places of the user and what its page view shows, where it
--   reads them; the last one is the record of epochs (trust-books.lua)
-- ARGV[1] settings, ARGV[2] the number of publishers and the epoch of the books that the caller knows, ARGV[3] the
--   clients of the requests, '-' for those whose holds need not be earned ('': none has one), ARGV[r + 4] per request
--   r = 0, 1, …: lines; the first is the request, then one line per impression with its candidates, joined by ';'. All
--   but the clients are JSON arrays by the field lists of encode-reserve.ts and encode-candidate.ts. '<lot> <spare> '
--   before a candidate: if it wins, the replica wants so many more ads of it (lots.lua).
-- Returns per request one string with a line per impression: the winner's position from 0, the end of its token
--   (epoch s), the end of its hold (ms) and its day, the lot and the spare that were granted and the publisher's time
--   (ms), then the no-bid reason of each candidate before the winner; without a winner -1 and the reason of each
--   candidate. For an ad of a roadblock that has won before: -2, or -3 when an earlier request of the page view has reserved
--   it; the end of its token, of its hold, its day, and with -3 its creative and price (block.lua)
-- Why atomic: limits are read and the winner is counted in one step, so two replicas cannot both
--   take the last place.
--
-- @include ../../redis/lua/clock.lua
-- @include ../../redis/lua/pieces.lua
-- @include ../lua/books.lua
-- @include ../lua/horizon.lua
-- @include ../lua/scarce.lua
-- @include block.lua
-- @include trust-books.lua

local PUBLISHER_KEYS = 5

local NO_CLIENT = '-'

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

-- The longest hold (ms) that the client of a request may have of a candidate that is under its limits; nil: none.
local function earned_hold(request, c, a, campaign, permits)
  local client, clients = request.client, request.clients
  if not client or not client_holds_many(clients, client) or not limits_apply(c) then
    return math.huge
  end
  return client_max_hold(clients, client, limits_left(a, campaign, c, request.book.now, permits))
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
  local together = block.refusal(request, c) or pods.refusal(request, c)
  if together then
    return nil, together
  end
  local a, campaign = books_open(request.accounts, book, c.line_item, c.campaign)
  if not a then
    local rebuilding = limits_apply(c) and NBR.BOOKS_REBUILDING or nil
    request.refused[text] = rebuilding
    return not rebuilding and block.take(c, request, take_uncounted), rebuilding
  end
  local reason, sampled, permits = limits_refusal(a, campaign, c, request.user, book.now, request.head, call.settings)
  local earned = not reason and earned_hold(request, c, a, campaign, permits)
  if not reason and not earned then
    reason = NBR.HOLDS_NOT_EARNED
  end
  if sampled then
    book.dirty[c.line_item], book.dirty[c.campaign] = true, true
  end
  -- A turn comes with the next ad of the user.
  request.refused[text] = reason ~= NBR.NOT_ITS_TURN and reason or nil
  if reason then
    scarce_note(request.accounts, a, campaign, c, reason, book.now)
  end
  if reason then
    return nil, reason
  end
  return block.take(c, request, take, a, campaign, wanted, permits, earned)
end

local function reserve_imp(line, imp, request)
  local of_block = block.ad_at(request, imp)
  block.note(request, imp)
  if of_block then
    return of_block
  end
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
  local request = { at = at, head = head, lines = lines, client_key = keys[at + 5], page = pages.of(nil), pods = {}, refused = {}, bound = {} }
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
  local book = books_of(accounts, keys[at + 4], call.clock, horizon_of(keys[at + 3]), head.days)
  head.rule = book.days
  request.accounts, request.book, request.serves = accounts, book, keys[at + 2]
  if request.clients then
    clients_open(request.clients, request.client_key, book.now)
    request.client = request.clients.open[request.client_name]
  end
  if head.reads_places then
    call.own_key = call.own_key + 1
    request.user = frequency_open(keys[call.own_key], book.now, book.horizon)
  end
  if head.page then
    call.own_key = call.own_key + 1
    request.page, request.placements = pages.of(keys[call.own_key]), head.page
  end
  local replies = {}
  for line in lines do
    replies[#replies + 1] = reserve_imp(line, #replies + 1, request)
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
  pages.save()
  books_save(call.expires_at)
  tally_save()
  clients_save()
  return results
end
