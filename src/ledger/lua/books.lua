-- The accounts that one call works on, by hash and field. Each is opened once, so that a request or
-- hit of a batch sees the changes of those before it, and written back once, at the end.
-- @include epoch.lua
-- @include day.lua
-- @include holds.lua

-- The field with the latest time at which the hash was written. A publisher's time does not step
-- back when Redis's clock does (a failover, a moved slot, NTP): its day, the ends of its holds and
-- its pacing only move forward.
local TIME_FIELD = '@'

-- The field with the rule of the publisher's days (day.lua); without it they are those of UTC.
local DAYS_FIELD = '~'

-- Arguments of one HSET: Lua can unpack some 8,000 values.
local MAX_FIELDS = 1000
-- The list of broken accounts is only a list: each account carries its own mark.
local BROKEN_LIST_TTL_S = 3024000

-- The accounts of one publisher: `key` is their hash, `broken_key` the shard's list of broken
-- accounts. Without `horizon` no holds are released. `days`: the rule of its days as text, of a caller that knows it.
local function books_of(key, broken_key, clock, horizon, days)
  local book = call.books[key]
  if not book then
    local fields = redis.call('HMGET', key, TIME_FIELD, EPOCH_FIELD, DAYS_FIELD)
    local last, known_days = tonumber(fields[1] or '0'), fields[3] or ''
    days = days or known_days
    book = {
      state = epoch_state(fields[2]),
      -- Its hash carries no epoch yet.
      is_new = not fields[2],
      broken_key = broken_key,
      days = day_rule(days),
      new_days = days ~= known_days and days,
      now = math.max(clock, last),
      horizon = horizon,
      open = {},
      dirty = {},
      renewed = false,
    }
    call.books[key] = book
  end
  return book
end

-- The accounts that this library wrote last, by their bytes. The numbers of an account whose bytes are the
-- same are those that it left: they need neither be unpacked nor checked again. Each change keeps what
-- account_check_sums tests, and account_check_records runs when records were added or released. An account
-- that a call has opened is not among them until the call has written it.
local known_take, known_keep
do
  local MAX_KNOWN = 2048
  local known, count = {}, 0

  function known_take(packed)
    local a = known[packed]
    if a then
      known[packed], count = nil, count - 1
    end
    return a
  end

  function known_keep(packed, a)
    if count >= MAX_KNOWN then
      known, count = {}, 0
    end
    count = count + (known[packed] and 0 or 1)
    known[packed] = a
  end
end

-- Opens an account at the publisher's day, checks it and releases its holds (unless the book has no horizon).
-- Returns it, and whether it is new or its day is. The time of a publisher never steps back, and an
-- account's day never does, whatever becomes of the publisher's time zone.
local function account_open(packed, book)
  local today = day_of(book.days, book.now)
  if not packed then
    return account_new(today), true
  end
  local a = known_take(packed)
  if not a then
    a = account_unpack(packed)
    if not a then
      a = account_new(today)
      account_break(a, BROKEN_BYTES)
      return a, true
    end
    account_check_sums(a)
  end
  local renewed = a[DAY] < today
  if renewed then
    account_roll_over(a, today)
  end
  if book.horizon and a[BROKEN] == 0 then
    account_release(a, book.now, book.horizon)
  end
  return a, renewed
end

-- An account that is not rebuilt yet stays closed.
local function books_keep(book, field, packed)
  if not packed and book.state == 'rebuilding' then
    return
  end
  local a, renewed = account_open(packed, book)
  book.open[field] = a
  book.renewed = book.renewed or renewed
end

-- The accounts of a line item and of its campaign; nil when they are not rebuilt since Redis lost data.
local function books_open(key, book, line_item, campaign)
  if book.state == 'closed' then
    return nil
  end
  local open = book.open
  local needs_line_item, needs_campaign = not open[line_item], not open[campaign]
  if needs_line_item and needs_campaign then
    local packed = redis.call('HMGET', key, line_item, campaign)
    books_keep(book, line_item, packed[1])
    books_keep(book, campaign, packed[2])
  elseif needs_line_item then
    books_keep(book, line_item, redis.call('HGET', key, line_item))
  elseif needs_campaign then
    books_keep(book, campaign, redis.call('HGET', key, campaign))
  end
  local a, of_campaign = open[line_item], open[campaign]
  if not a or not of_campaign then
    return nil
  end
  -- A hold has one day in both accounts. A repaired account, or one that counted an ad of a replica
  -- whose clock is ahead, may be a day ahead for a moment.
  if a[DAY] < of_campaign[DAY] then
    account_roll_over(a, of_campaign[DAY])
  elseif of_campaign[DAY] < a[DAY] then
    account_roll_over(of_campaign, a[DAY])
  end
  return a, of_campaign
end

-- Adds the broken accounts that are not listed yet: 'reason since_ms safe_at_ms' by 'key field'.
local function books_list_broken(key, book)
  for field, a in pairs(book.open) do
    if a[BROKEN] ~= 0 then
      local about = string.format('%d %.0f %.0f', a[BROKEN], book.now, account_safe_at(a, book.now))
      if redis.call('HSETNX', book.broken_key, key .. ' ' .. field, about) == 1 then
        redis.call('EXPIRE', book.broken_key, BROKEN_LIST_TTL_S)
        book.dirty[field] = true
      end
    end
  end
end

-- Writes the accounts that changed. `expires_at` holds the end of each hash in epoch seconds; it is
-- set once a day and whenever an account is made.
local function books_save(expires_at)
  for key, book in pairs(call.books) do
    books_list_broken(key, book)
    local fields = { TIME_FIELD, string.format('%.0f', book.now) }
    if book.is_new and call.epoch ~= '' then
      fields[3], fields[4] = EPOCH_FIELD, call.epoch
    end
    if book.new_days then
      fields[#fields + 1], fields[#fields + 2] = DAYS_FIELD, book.new_days
    end
    for field in pairs(book.dirty) do
      local a = book.open[field]
      local packed = account_pack(a)
      known_keep(packed, a)
      fields[#fields + 1], fields[#fields + 2] = field, packed
      if #fields >= MAX_FIELDS then
        redis.call('HSET', key, unpack(fields))
        fields = {}
      end
    end
    if next(book.dirty) and #fields > 0 then
      redis.call('HSET', key, unpack(fields))
    end
    if next(book.dirty) and book.renewed then
      redis.call('EXPIREAT', key, expires_at[key])
    end
  end
end
