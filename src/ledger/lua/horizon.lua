-- The fold horizon of a shard (ms): every hit that was stored in Postgres before it has been
-- settled.
local horizons = {}

-- Returns a function that reads the horizon when it is first called: only a hold that has ended
-- needs it.
local function horizon_of(key)
  return function()
    horizons[key] = horizons[key] or tonumber(redis.call('GET', key) or '0')
    return horizons[key]
  end
end
