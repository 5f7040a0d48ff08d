-- Reserves, for each impression of each request, the first of its ranked candidates that is under all its limits.
--
-- KEYS per request r = 0, 1, …: KEYS[4r + 1] accounts of the publisher (hash), KEYS[4r + 2] frequency places of the user at this publisher
--   (without a user: never touched), KEYS[4r + 3] serves tally of the shard (hash), KEYS[4r + 4] fold horizon of the shard
-- ARGV[1] [ttl_ms, bucket_ms, kp, ki, kd], ARGV[r + 2] per request: lines; the first [expires_at_s, reads_places, hour_start,
--   share_before, share_of_hour], then one line an impression: candidates (include/candidate.lua) joined by ';'
-- Returns per request one string: 'now_ms token_exp_s hold_end_ms day', then one line an impression: the winner's position from 0 or -1,
--   and the no-bid reason of each candidate before it
-- Why atomic: limits are read and the winner counted in one breath, so no two replicas take the last place.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua
-- @include ../lua/books.lua
-- @include ../lua/frequency.lua
-- @include ../lua/candidate.lua
-- @include ../lua/pacing.lua
-- @include ../lua/limits.lua

local DUPLICATE_IN_PAGE = 509
local TALLY_TTL_S = 259200

-- What stands between the separators of a text, without what is empty. A plain search leaps from one to the next: 1.4 µs for eight candidates
-- in two lines, where a pattern, which looks at every character, took 3.0.
local function pieces(text, separator)
  local from = 1
  return function()
    while from <= #text do
      local to = string.find(text, separator, from, true) or #text + 1
      local piece = string.sub(text, from, to - 1)
      from = to + 1
      if piece ~= '' then
        return piece
      end
    end
  end
end

local now = clock_ms()
local settings = cjson.decode(ARGV[1])
local token_exp = math.ceil((now + settings[1]) / 1000)
local hold_end = math.ceil(token_exp * 1000 / settings[2]) * settings[2]
local gains = { kp = settings[3], ki = settings[4], kd = settings[5] }
local moments = now .. ' ' .. token_exp .. ' ' .. hold_end .. ' ' .. math.floor(now / MS_PER_DAY)

-- Fold horizons of shards, read when the first hold has passed its end.
local horizons = {}

-- The serves of one creative, on its shard's tally; a tally lives as long as something new comes in every few days.
local function tally_serve(key, day, c)
  if redis.call('HINCRBY', key, day .. ':' .. c.tally, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end

local function reserve_imp(line, request)
  local reasons, position = '', 0
  for text in pieces(line, ';') do
    local c = candidate_read(text)
    local book, a, campaign = books_open(request.accounts, c.line_item, c.campaign, now, request.horizon)
    local reason, sampled = DUPLICATE_IN_PAGE, false
    if not request.taken[c.creative] then
      reason, sampled = limits_refusal(a, campaign, c, request.places, now, request.curve, gains)
    end
    if sampled then
      book.dirty[c.line_item] = true
    end
    if not reason then
      local day = a[DAY]
      a[SERVES] = a[SERVES] + 1
      campaign[SERVES] = campaign[SERVES] + 1
      account_hold(a, hold_end, day, c.price)
      account_hold(campaign, hold_end, day, c.price)
      if c.pacing ~= 'ASAP' then
        pacing_take(a)
      end
      if c.rate >= 0 then
        a[RATE_TOKENS], a[RATE_AT] = limits_rate_tokens(a, c, now) - 1, now
      end
      if c.places >= 0 then
        frequency_hold(request.places, c.line_item, hold_end)
        request.places_dirty = true
      end
      book.dirty[c.line_item], book.dirty[c.campaign] = true, true
      request.taken[c.creative] = true
      tally_serve(request.serves, day, c)
      return position .. reasons
    end
    position = position + 1
    reasons = reasons .. ' ' .. reason
  end
  return '-1' .. reasons
end

local results, expires_at = {}, {}
for r = 0, #ARGV - 2 do
  local accounts, places_key, serves, horizon_key = KEYS[4 * r + 1], KEYS[4 * r + 2], KEYS[4 * r + 3], KEYS[4 * r + 4]
  local lines = pieces(ARGV[r + 2], '\n')
  local head = cjson.decode(lines())
  local request = {
    accounts = accounts,
    serves = serves,
    places = head[2] and frequency_open(redis.call('GET', places_key) or nil, now) or nil,
    places_dirty = false,
    curve = { hour_start = head[3], share_before = head[4], share_of_hour = head[5] },
    taken = {},
    horizon = function()
      horizons[horizon_key] = horizons[horizon_key] or tonumber(redis.call('GET', horizon_key) or '0')
      return horizons[horizon_key]
    end,
  }
  local replies = { moments }
  for line in lines do
    replies[#replies + 1] = reserve_imp(line, request)
  end
  if request.places_dirty then
    frequency_save(places_key, request.places, now)
  end
  results[r + 1] = table.concat(replies, '\n')
  expires_at[accounts] = head[1]
end
books_save(expires_at)
return results
