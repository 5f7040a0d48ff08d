-- Takes consumers off a group that hold no entry and have not been heard of for long: replicas that are no more.
--
-- KEYS[1] stream; ARGV[1] group, ARGV[2] idle_ms
-- Returns how many were taken off
-- Why atomic: a consumer that read between the look and the removal would take its entries with it.

-- No stream or no group yet: nobody to retire.
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
