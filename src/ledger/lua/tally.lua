-- Counts by day and a second key, in a hash of the shard: serves by creative, custom events by line
-- item. A tally expires three days after the last new field.
local TALLY_TTL_S = 259200

-- Returns the field that was counted.
local function tally_add(key, day, rest)
  local field = day .. ':' .. rest
  if redis.call('HINCRBY', key, field, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
  return field
end

-- Counts a serve. The fields that changed since they were last copied to Postgres are listed in the
-- set <key>:changed (tally-copied.lua): 0.5 µs for each serve.
local function tally_add_serve(key, day, rest)
  local changed = key .. ':changed'
  if redis.call('SADD', changed, tally_add(key, day, rest)) == 1 then
    redis.call('EXPIRE', changed, TALLY_TTL_S)
  end
end
