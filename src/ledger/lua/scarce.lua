-- Accounts of which so much is held that a line item was refused: replicas that hold lots or spares from them, and have no
-- requests for them, return them (../allowances/allowances.ts).
-- @include epoch.lua

-- Notes what the rest of a refused candidate is held by: its own account, or that of its campaign, of which siblings hold
-- a part. The sorted set has accounts ('<publisher's accounts> <field>') by the time of their last refusal (ms).
local scarce_note
do
  -- A replica reads them once a second.
  local SCARCE_MS = 5000
  -- An account is noted so often at most: its refusals are thousands a second.
  local SCARCE_EVERY_MS = 300
  local MAX_NOTED = 1000
  local noted, count = {}, 0
  -- When old entries of a set were last removed, by its key.
  local swept = {}

  local function note(accounts, field, now)
    local name = accounts .. ' ' .. field
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
    local is_added = redis.call('ZADD', key, string.format('%.0f', now), name) == 1
    if is_added or math.abs(now - (swept[key] or 0)) >= SCARCE_EVERY_MS then
      swept[key] = now
      redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now - SCARCE_MS))
      redis.call('PEXPIRE', key, SCARCE_MS)
    end
  end

  function scarce_note(accounts, a, campaign, c, reason, now)
    local is_spent = reason == NBR.BUDGET_SPENT
    if not is_spent and reason ~= NBR.DAILY_CAP and reason ~= NBR.GOAL_REACHED then
      return
    end
    if a[OLDER_COUNT] + a[HOLD_COUNT] + a[HELD_TOTAL] > 0 then
      note(accounts, c.line_item, now)
    end
    local is_shared = is_spent and c.campaign_budget_micros >= 0
      or reason == NBR.DAILY_CAP and c.campaign_daily_micros >= 0
    if is_shared and campaign[HELD_TOTAL] > 0 then
      note(accounts, c.campaign, now)
    end
  end
end
