-- Counts by day and a second key, in a hash of the shard: serves by creative, custom events by line
-- item. A tally expires three days after the last new field.
-- @include call.lua
local TALLY_TTL_S = 259200

local function tally_add(key, day, rest, amount)
  if redis.call('HINCRBY', key, day .. ':' .. rest, amount or 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end

-- Counts serves. tally_save writes them.
local function tally_add_serves(key, day, rest, count)
  local of_key, field = call.serves[key] or {}, day .. ':' .. rest
  call.serves[key], of_key[field] = of_key, (of_key[field] or 0) + count
end

-- Writes the serves of this call: 1.5 µs less for each ad than one by one. The fields that changed
-- since they were last copied to Postgres are listed in the set <key>:changed (tally-copied.lua).
local function tally_save()
  for key, of_key in pairs(call.serves) do
    local changed, fields, is_new = key .. ':changed', {}, false
    for field, count in pairs(of_key) do
      is_new = redis.call('HINCRBY', key, field, count) == count or is_new
      fields[#fields + 1] = field
    end
    if is_new then
      redis.call('EXPIRE', key, TALLY_TTL_S)
    end
    if redis.call('SADD', changed, unpack(fields)) > 0 then
      redis.call('EXPIRE', changed, TALLY_TTL_S)
    end
  end
end
