-- Line items that were refused because what is left of them is held: replicas that have a spare of one, and no requests
-- for it, return it (../allowances/allowances.ts). Include after call.lua and epoch.lua.

-- The sorted set of line items ('<publisher's accounts> <field>') by the time of their last refusal (ms), and when this
-- library last noted each.
local scarce_note
do
  -- A replica reads them once a second.
  local SCARCE_MS = 5000
  -- A line item is noted so often at most: its refusals are thousands a second.
  local SCARCE_EVERY_MS = 300
  local MAX_NOTED = 1000
  local noted, count = {}, 0

  function scarce_note(accounts, line_item, now)
    local name = accounts .. ' ' .. line_item
    local last = noted[name]
    if last and last <= now and now - last < SCARCE_EVERY_MS then
      return
    end
    if count >= MAX_NOTED then
      noted, count = {}, 0
    end
    count = count + (last and 0 or 1)
    noted[name] = now
    local key = call.epoch_key .. ':scarce'
    redis.call('ZADD', key, string.format('%.0f', now), name)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - SCARCE_MS))
    redis.call('PEXPIRE', key, SCARCE_MS)
  end
end
