-- Lots: places under the limits of a line item that a replica takes together and hands out by
-- itself (../allowances/). Each is held and paced as if its ads had been reserved one by one. A lot
-- is for the requests of about a second. A spare is for an outage of Redis; pacing gives no permits
-- for it. The figures: ../allowances/lot-rule.ts (LOT_ constants).
-- @include limits.lua

local function lots_life(held_ms)
  return math.min(LOT_MS, held_ms * LOT_LIFE_PART)
end

-- In a block, because a chunk of Lua has room for 200 local names.
local lots_grant
do
  -- More is held than is left: by spares of others, or by ads that have not rendered.
  local function lots_are_scarce(a, campaign, c, left)
    return a[HELD_COUNT] > left
      or ((c.campaign_budget_micros >= 0 or c.campaign_daily_micros >= 0) and campaign[HELD_TOTAL] > campaign_left(campaign, c))
  end

  local function lots_worth(ads)
    return ads >= LOT_MIN_ADS and ads or 0
  end

  -- How many ads a replica gets of those that it wants, as lot and as spare. `permits` are those that
  -- pacing has left after the ad that is reserved now.
  function lots_grant(lot, spare, a, campaign, c, now, permits)
    local left = limits_left(a, campaign, c, now, math.huge) - 1
    local by_limits, by_permits = math.floor(left * LOT_PART), math.floor(permits * LOT_PERMIT_PART)
    lot = lots_worth(by_limits) > 0 and math.max(math.min(lot, by_limits, by_permits), 0) or 0
    local of_spare = lots_worth(math.floor((left - lot) * LOT_SPARE_PART))
    return lot, lots_are_scarce(a, campaign, c, left) and 0 or math.min(spare, of_spare)
  end
end
