-- Counts by day and a second key, in a hash of the shard: serves by creative, custom events by line
-- item. A tally expires three days after the last new field. The fields of a tally of serves that
-- changed since they were last copied to Postgres are listed in the set <key>:changed
-- (tally-copied.lua): 0.5 µs for each serve.
local TALLY_TTL_S = 259200

local function tally_add(key, day, rest)
  local field = day .. ':' .. rest
  if redis.call('HINCRBY', key, field, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
  if string.sub(key, -7) == ':serves' and redis.call('SADD', key .. ':changed', field) == 1 then
    redis.call('EXPIRE', key .. ':changed', TALLY_TTL_S)
  end
end
