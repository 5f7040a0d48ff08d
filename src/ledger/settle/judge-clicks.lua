-- Judges the provisional clicks of a shard that are due: each is billed or filtered, once, and its price is held no longer.
--
-- KEYS[1] event stream of the shard (the keys of the clicks and of what was seen of their visitors are derived from it),
--   KEYS[2] the record of epochs; the accounts are those that each click names, of the same shard
-- ARGV[1] '1' and the epoch of the books that the caller knows, ARGV[2] the most clicks of one call; then per click of an earlier
--   epoch that an earlier call has returned, its token and '1' if its row is provisional
-- Returns how many were looked at, billed, filtered and dropped; then of each click of an earlier epoch its token and its day
-- Why atomic: a click is taken out, counted in its accounts and appended to the stream in one step, so that it is judged once.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/activity.lua
-- @include ../lua/dedupe.lua
-- @include ../lua/provisional.lua

-- The keys of a shard differ in their last part.
local function seen_key_of(events, token)
  local shard = string.sub(events, 1, -#'events' - 1)
  return shard .. 'seen:' .. token
end

-- A click that was under judgement when Redis lost data: this may be an older copy, and the click judged since. Its row says it.
-- One that was judged, or has no row yet, is dropped: a row that stays provisional is found (tracking/recover-provisional.ts).
-- Returns whether it may be judged.
local function clear_earlier(events, token, entry, day, rows, earlier)
  if entry.epoch == call.epoch then
    return true
  elseif rows[token] == '1' then
    -- Accounts were rebuilt without its price.
    entry.micros = 0
    return true
  elseif rows[token] then
    provisional_take(events, token, true)
    earlier.dropped = earlier.dropped + 1
  else
    earlier[#earlier + 1], earlier[#earlier + 2] = token, day
  end
  return false
end

-- Returns '' or why the click is filtered; nil while its accounts are not rebuilt, or its row is not known.
local function judge(events, token, rows, earlier)
  local entry = provisional_take(events, token, false)
  if not entry then
    redis.call('ZREM', provisional_due_key(events), token)
    return nil
  end
  local h = hit_record(cjson.decode(entry.record))
  local book = books_of(entry.accounts, entry.broken, call.clock)
  if book.state ~= 'open' and not books_open(entry.accounts, book, h.line_item, h.campaign) then
    return nil
  end
  if not clear_earlier(events, token, entry, h.day, rows, earlier) then
    return nil
  end
  call.expires_at[entry.accounts] = h.expires_at_s
  local a, campaign = accounts_of(h, entry.accounts, book)
  if entry.micros > 0 then
    account_unhold(a, entry.hold_end, h.day, 1, entry.micros)
    account_unhold(campaign, entry.hold_end, h.day, 1, entry.micros)
    book.dirty[h.line_item], book.dirty[h.campaign] = true, true
  end
  local reason = activity_judge(h, entry.at, events)
  local billed = reason == '' and settle_accounts(h, entry.accounts, book) or 0
  provisional_take(events, token, true)
  -- Its token may have ended long ago.
  redis.call('SET', seen_key_of(events, token), ',' .. h.label .. ',', 'PX', DEDUPE_MARGIN_MS, 'NX')
  events_add_judged(events, h, entry.event, entry.at, billed, reason, entry.is_repeat)
  return reason
end

local function judge_clicks(keys, args)
  call_begin()
  call.clock = clock_ms()
  call.expires_at = {}
  call_scope(args[1], keys)
  local events = keys[1]
  local tokens = redis.call('ZRANGEBYSCORE', provisional_due_key(events), '-inf', call.clock, 'LIMIT', 0, args[2])
  local billed, filtered = 0, 0
  local rows, earlier = {}, { dropped = 0 }
  for i = 3, #args, 2 do
    rows[args[i]] = args[i + 1]
  end
  for _, token in ipairs(tokens) do
    local reason = judge(events, token, rows, earlier)
    billed, filtered = billed + (reason == '' and 1 or 0), filtered + (reason == 'activity' and 1 or 0)
  end
  events_save()
  books_save(call.expires_at)
  return { #tokens, billed, filtered, earlier.dropped, unpack(earlier) }
end
