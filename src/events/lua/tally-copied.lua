-- Removes fields of a tally from its set of changes, unless they have changed since they were read.
--
-- KEYS[1] serves tally of the shard (hash), KEYS[2] its set of changed fields
-- ARGV pairs of a field and the count that was copied; '' for a field that the tally does not have
-- Returns the number of fields removed
-- Why atomic: a serve between the comparison and the removal would never be copied.

local removed = 0
for i = 1, #ARGV, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') == ARGV[i + 1] then
    removed = removed + redis.call('SREM', KEYS[2], ARGV[i])
  end
end
return removed
