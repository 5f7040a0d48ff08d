-- Changes a field of the record of epochs.
--
-- KEYS[1] record of epochs (../reserve/trust-books.lua)
-- ARGV[1] the epoch that is meant, ARGV[2] field, ARGV[3] value; a mark only grows
-- Returns 1; 0 when another epoch has begun
-- Why atomic: the record of another epoch must not be changed.

-- As IDLE_KEY_TTL_MS of base/utc-day.ts.
local RECORD_TTL_MS = 3024000000

local record = redis.call('HMGET', KEYS[1], 'id', ARGV[2])
if record[1] ~= ARGV[1] then
  return 0
end
if ARGV[2] ~= 'mark' or tonumber(record[2] or '0') < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
end
redis.call('PEXPIRE', KEYS[1], RECORD_TTL_MS)
return 1
