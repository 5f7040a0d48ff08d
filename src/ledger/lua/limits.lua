-- Checks the limits of a candidate against its accounts, for reserve.lua and for read-limits.lua. A
-- candidate is what encode-candidate.ts writes: candidate_record and NBR are
-- generated from its field list and from the table of no-bid reasons. A limit of -1 is not set.
-- @include pacing.lua
-- @include frequency.lua

-- The token bucket of a rate limit, filled up to now. Elapsed time is never negative, whatever the
-- clock did.
local function limits_rate_tokens(a, c, now)
  if a[RATE_TOKENS] < 0 then
    return c.rate_burst
  end
  return math.min(c.rate_burst, a[RATE_TOKENS] + c.rate_per_second * math.max(now - a[RATE_AT], 0) / 1000)
end

-- Returns the reason why this candidate may not be taken, with all ads of its roadblock (`count`), in the order of the stages, or nil when it may be;
-- whether pacing changed the accounts so that they are worth storing; and how many ads pacing allows.
local function limits_refusal(a, campaign, c, user, now, curve, gains)
  if a[BROKEN] ~= 0 or campaign[BROKEN] ~= 0 then
    return NBR.ACCOUNT_SET_ASIDE
  end
  local ads = c.count or 1
  local price = c.holds_price and c.price_micros * ads or 1
  if c.budget_micros >= 0 and a[T_SPEND] + a[HELD_TOTAL] + price > c.budget_micros then
    return NBR.BUDGET_SPENT
  end
  if c.campaign_budget_micros >= 0
    and campaign[T_SPEND] + campaign[HELD_TOTAL] + price > c.campaign_budget_micros then
    return NBR.BUDGET_SPENT
  end
  if c.goal and goal_left(a, c.goal) < ads then
    return NBR.GOAL_REACHED
  end
  if c.daily_impressions >= 0 and a[IMPRESSIONS] + a[HELD_COUNT] + ads > c.daily_impressions then
    return NBR.DAILY_CAP
  end
  if c.daily_spend_micros >= 0 and a[SPEND] + a[HELD_MICROS] + price > c.daily_spend_micros then
    return NBR.DAILY_CAP
  end
  if c.campaign_daily_micros >= 0 and campaign[SPEND] + campaign[HELD_MICROS] + price > c.campaign_daily_micros then
    return NBR.DAILY_CAP
  end
  if c.caps and not user then
    return NBR.CONSENT
  end
  if c.caps and frequency_refuses(user, c.caps, ads) then
    return NBR.FREQUENCY_CAPPED
  end
  if c.turn and not frequency_is_turn(user, c.turn) then
    return NBR.NOT_ITS_TURN
  end
  local permits, sampled = math.huge, false
  if pacing_applies(c) then
    permits, sampled = pacing_permits(a, campaign, c, now, curve, gains)
    if permits < ads then
      return NBR.PACING, sampled
    end
  end
  if c.rate_per_second >= 0 and limits_rate_tokens(a, c, now) < math.min(ads, c.rate_burst) then
    return NBR.RATE_LIMIT, sampled
  end
  return nil, sampled, permits
end

local function limits_apply(c)
  return c.daily_impressions >= 0 or c.daily_spend_micros >= 0 or c.budget_micros >= 0
    or c.campaign_budget_micros >= 0 or c.campaign_daily_micros >= 0 or c.caps or c.rate_per_second >= 0
    or (c.goal and (c.goal[GOAL.IMPRESSIONS] >= 0 or c.goal[GOAL.CLICKS] >= 0))
end

-- How many more ads a candidate could hold now, by its tightest limit other than the user's.
-- `permits` are those of limits_refusal.
local function limits_left(a, campaign, c, now, permits)
  local left = permits
  local price = math.max(c.holds_price and c.price_micros or 0, 1)
  if c.daily_impressions >= 0 then
    left = math.min(left, c.daily_impressions - a[IMPRESSIONS] - a[HELD_COUNT])
  end
  if c.daily_spend_micros >= 0 then
    left = math.min(left, (c.daily_spend_micros - a[SPEND] - a[HELD_MICROS]) / price)
  end
  if c.budget_micros >= 0 then
    left = math.min(left, (c.budget_micros - a[T_SPEND] - a[HELD_TOTAL]) / price)
  end
  if c.campaign_budget_micros >= 0 then
    left = math.min(left, (c.campaign_budget_micros - campaign[T_SPEND] - campaign[HELD_TOTAL]) / price)
  end
  if c.campaign_daily_micros >= 0 then
    left = math.min(left, (c.campaign_daily_micros - campaign[SPEND] - campaign[HELD_MICROS]) / price)
  end
  if c.goal then
    left = math.min(left, goal_left(a, c.goal))
  end
  if c.rate_per_second >= 0 then
    left = math.min(left, limits_rate_tokens(a, c, now))
  end
  return left
end
