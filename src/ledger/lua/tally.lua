-- Counts by day and a second key, in a hash of the shard: serves by creative, custom events by line
-- item. The event writer copies them to Postgres; a tally expires three days after the last new
-- field.
local TALLY_TTL_S = 259200

local function tally_add(key, day, rest)
  if redis.call('HINCRBY', key, day .. ':' .. rest, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end
