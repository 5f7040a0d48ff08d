-- Clicks that wait for their impression: a hash from the token to the time of the click, its record
-- and its event, and a sorted set of the tokens by that time. They are neither counted nor billed
-- until they are judged. The keys are derived from that of the shard's event stream. Include after tally.lua.
local CLICKS_TTL_S = 3024000

local function clicks_key(events)
  return events .. ':clicks'
end

local function clicks_due_key(events)
  return events .. ':clicks-due'
end

local function clicks_hold(events, token, at, record, event)
  local key, due = clicks_key(events), clicks_due_key(events)
  redis.call('HSET', key, token, string.format('%.0f', at) .. '\n' .. record .. '\n' .. event)
  redis.call('ZADD', due, at, token)
  redis.call('EXPIRE', key, CLICKS_TTL_S)
  redis.call('EXPIRE', due, CLICKS_TTL_S)
end

local function clicks_has(events, token)
  return redis.call('HEXISTS', clicks_key(events), token) == 1
end

-- Takes the click of a token out. Returns its time, record and event; nothing when there is none.
local function clicks_take(events, token)
  local held = redis.call('HGET', clicks_key(events), token)
  if not held then
    return
  end
  redis.call('HDEL', clicks_key(events), token)
  redis.call('ZREM', clicks_due_key(events), token)
  local first = string.find(held, '\n', 1, true)
  local second = string.find(held, '\n', first + 1, true)
  return tonumber(string.sub(held, 1, first - 1)), string.sub(held, first + 1, second - 1), string.sub(held, second + 1)
end

-- Appends a hit that counts to the event stream.
local function events_add(events, event, at, billed)
  redis.call('XADD', events, '*', 'e', event, 'at', at, 'billed', billed)
end

-- Appends a filtered hit to the event stream and tallies it by its reason.
local function events_add_filtered(events, h, event, at, reason)
  redis.call('XADD', events, '*', 'e', event, 'at', string.format('%.0f', at), 'billed', 0, 'reason', reason)
  tally_add(events .. ':filtered', h.day, h.filtered_tally .. reason)
end
