-- The fold horizon of a shard (ms): every hit that was stored in Postgres before it has been
-- settled. Returns a function that reads it when it is first called: only a hold that has ended needs it.
-- @include call.lua
local function horizon_of(key)
  return function()
    call.horizons[key] = call.horizons[key] or tonumber(redis.call('GET', key) or '0')
    return call.horizons[key]
  end
end
