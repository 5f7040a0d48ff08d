-- Deletes the consumers of a group that hold no entry and have been idle for long: stopped
-- replicas.
--
-- KEYS[1] stream; ARGV[1] group, ARGV[2] idle_ms
-- Returns the number of deleted consumers
-- Why atomic: if a consumer read entries between the check and its deletion, they would be lost
--   with it.

-- Without the stream or the group there is nothing to delete.
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
if consumers.err then
  return 0
end

local retired = 0
for _, fields in ipairs(consumers) do
  local about = {}
  for i = 1, #fields, 2 do
    about[fields[i]] = fields[i + 1]
  end
  if about.pending == 0 and about.idle > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], about.name)
    retired = retired + 1
  end
end
return retired
