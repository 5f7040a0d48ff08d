-- Hits that wait for their impression, clicks and events that bill: a hash from their name to
-- the time of the hit, its record and its event, and a sorted set of the names by that time. They are
-- neither counted nor billed until they are judged. The keys are derived from that of the shard's event
-- stream.
local WAITING_TTL_S = 3024000

-- The name of a click is its token; the event that bills, viewable or not, has one name of all releases.
local function waiting_name(token, action)
  return action == 'click' and token or token .. ' viewable'
end

local function waiting_key(events)
  return events .. ':waiting'
end

local function waiting_due_key(events)
  return events .. ':waiting-due'
end

local function waiting_hold(events, name, at, record, event)
  local key, due = waiting_key(events), waiting_due_key(events)
  redis.call('HSET', key, name, string.format('%.0f', at) .. '\n' .. record .. '\n' .. event)
  redis.call('ZADD', due, at, name)
  redis.call('EXPIRE', key, WAITING_TTL_S)
  redis.call('EXPIRE', due, WAITING_TTL_S)
end

local function waiting_has(events, name)
  return redis.call('HEXISTS', waiting_key(events), name) == 1
end

-- Takes a hit out. Returns its time, record and event; nothing when there is none.
local function waiting_take(events, name)
  local held = redis.call('HGET', waiting_key(events), name)
  if not held then
    return
  end
  redis.call('HDEL', waiting_key(events), name)
  redis.call('ZREM', waiting_due_key(events), name)
  local first = string.find(held, '\n', 1, true)
  local second = string.find(held, '\n', first + 1, true)
  return tonumber(string.sub(held, 1, first - 1)), string.sub(held, first + 1, second - 1), string.sub(held, second + 1)
end
