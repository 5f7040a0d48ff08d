-- Clicks under judgement (activity.lua): they are in the event stream as provisional, and their price is held in the accounts
-- until they are judged. A hash from the token to what judging takes, and a sorted set of the tokens by when they are due.
-- The keys are derived from that of the shard's event stream.
-- @include ../settle/billing.lua
-- @include events.lua
local provisional_hold, provisional_has, provisional_take, provisional_due_key
do
  local TTL_S = 3024000
  -- Longer than any judgement takes, also after an outage; one end in an hour, so that an account stays small.
  local HOLD_BUCKET_MS = 3600000

  local function provisional_key(events)
    return events .. ':provisional'
  end

  function provisional_due_key(events)
    return events .. ':provisional-due'
  end

  -- Holds the price of the click. Returns how much, and the end of the hold.
  local function hold_price(h, at, accounts_key, book)
    local a, campaign = accounts_of(h, accounts_key, book)
    local micros = h.bills and a[BROKEN] == 0 and campaign[BROKEN] == 0 and later_bill(h, a, campaign) or 0
    if micros == 0 then
      return 0, 0
    end
    local hold_end = math.ceil((at + MAX_HOLD_MS) / HOLD_BUCKET_MS) * HOLD_BUCKET_MS
    -- A hold has a place: it is the click's, until it is judged.
    account_hold(a, hold_end, h.day, 1, micros)
    account_hold(campaign, hold_end, h.day, 1, micros)
    book.dirty[h.line_item], book.dirty[h.campaign] = true, true
    return micros, hold_end
  end

  -- `is_repeat`: another click of its visitor on this day.
  function provisional_hold(events, h, at, record, event, accounts_key, book, is_repeat)
    local micros, hold_end = hold_price(h, at, accounts_key, book)
    local entry = {
      at = at, record = record, event = event, accounts = accounts_key, broken = book.broken_key,
      micros = micros, hold_end = hold_end, is_repeat = is_repeat, epoch = call.epoch,
    }
    local key, due = provisional_key(events), provisional_due_key(events)
    redis.call('HSET', key, h.token, cmsgpack.pack(entry))
    redis.call('ZADD', due, book.now + ACTIVITY.JUDGE_AFTER_MS, h.token)
    redis.call('EXPIRE', key, TTL_S)
    redis.call('EXPIRE', due, TTL_S)
    events_add_filtered(events, h, event, at, 'provisional')
    if is_repeat then
      events_say(events, 'repeat', '1')
    end
  end

  function provisional_has(events, token)
    return redis.call('HEXISTS', provisional_key(events), token) == 1
  end

  -- What was kept of a click, or nil; `remove` takes it out.
  function provisional_take(events, token, remove)
    local packed = redis.call('HGET', provisional_key(events), token)
    if remove then
      redis.call('HDEL', provisional_key(events), token)
      redis.call('ZREM', provisional_due_key(events), token)
    end
    return packed and cmsgpack.unpack(packed)
  end
end
