-- Counts by day and something else, in a hash of the shard: serves by creative, custom events by line item.
-- The event writer carries them to Postgres; a tally expires three days after the last new field.
local TALLY_TTL_S = 259200

local function tally_add(key, day, rest)
  if redis.call('HINCRBY', key, day .. ':' .. rest, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end
