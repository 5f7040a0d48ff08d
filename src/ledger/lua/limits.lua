-- The limits of a candidate against what stands in its accounts: one judgement, for taking a reservation and for telling people why one would not be given.
local BUDGET_SPENT, DAILY_CAP, FREQUENCY_CAPPED, PACING, RATE_LIMIT, CONSENT = 504, 505, 9, 506, 507, 510

-- The token bucket of a rate limit, filled up to now; elapsed time is never negative, whatever the clock did.
local function limits_rate_tokens(a, c, now)
  if a[RATE_TOKENS] < 0 then
    return c.burst
  end
  return math.min(c.burst, a[RATE_TOKENS] + c.rate * math.max(now - a[RATE_AT], 0) / 1000)
end

-- Why this candidate may not be taken, in the order of the road; nothing when it may. True as second when the account is worth storing.
local function limits_refusal(a, campaign, c, places, now, curve, gains)
  local price = c.per_click and 1 or c.price
  if c.budget >= 0 and a[T_SPEND] + a[HELD_TOTAL] + price > c.budget then
    return BUDGET_SPENT
  end
  if c.campaign_budget >= 0 and campaign[T_SPEND] + campaign[HELD_TOTAL] + price > c.campaign_budget then
    return BUDGET_SPENT
  end
  if c.daily_cap >= 0 and a[IMPRESSIONS] + a[HELD_COUNT] >= c.daily_cap then
    return DAILY_CAP
  end
  if c.daily_spend_cap >= 0 and a[SPEND] + a[HELD_MICROS] + price > c.daily_spend_cap then
    return DAILY_CAP
  end
  if c.places >= 0 and not places then
    return CONSENT
  end
  if c.places >= 0 and frequency_count(places, c.line_item) >= c.places then
    return FREQUENCY_CAPPED
  end
  local sampled = false
  if c.pacing ~= 'ASAP' then
    local allowed
    allowed, sampled = pacing_allows(a, campaign, c, now, curve, gains)
    if not allowed then
      return PACING, sampled
    end
  end
  if c.rate >= 0 and limits_rate_tokens(a, c, now) < 1 then
    return RATE_LIMIT, sampled
  end
  return nil, sampled
end
