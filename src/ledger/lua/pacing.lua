-- Pacing: each limit is paced by a bucket (bucket.lua) in the account that it belongs to. A line
-- item's own goal is paced in its account, in impressions; what is left of a campaign's budget in
-- the campaign's account, in micros, which all its line items draw from. A reservation that ended
-- without an impression gives back what it took (account_release). docs/pacing.md explains it.
-- @include bucket.lua
-- @include siblings.lua
-- @include call.lua

-- How far a line item may fall behind its siblings and still catch up: ten minutes of the
-- campaign's rate, or ten selections.
local MAX_BEHIND_MS = 600000
local MAX_BEHIND = 10

-- How many impressions the goals of the flight leave beside those that are held. A goal of clicks
-- leaves those that its missing clicks take at the expected click-through rate.
local function goal_left(a, goal)
  local left = math.huge
  if goal[GOAL.IMPRESSIONS] >= 0 then
    left = goal[GOAL.IMPRESSIONS] - a[T_IMPRESSIONS]
  end
  if goal[GOAL.CLICKS] >= 0 then
    left = math.min(left, (goal[GOAL.CLICKS] - a[T_CLICKS]) / goal[GOAL.CLICK_RATE])
  end
  return left - a[OLDER_COUNT] - a[HOLD_COUNT]
end

-- How many impressions today should end with, by the tightest of the line item's own caps, goals and
-- budget (nil when it has none), how many are committed, and whether the tightest is a goal that is
-- spread over further days: a goal or a budget gives today its part of what is left.
local function pacing_goal(a, c, day)
  local committed = a[IMPRESSIONS] + a[HELD_COUNT]
  local goal, is_spread
  local function bound(left, part, is_goal)
    local most = committed + math.max(left, 0) * part
    if not goal or most < goal then
      goal, is_spread = most, is_goal and part < 1
    end
  end
  if c.daily_impressions >= 0 then
    bound(c.daily_impressions - committed, 1)
  end
  if c.goal then
    local left = goal_left(a, c.goal)
    if left < math.huge then
      bound(left, day.part, true)
    end
  end
  if c.expected_micros > 0 then
    if c.daily_spend_micros >= 0 then
      bound((c.daily_spend_micros - a[SPEND] - a[HELD_MICROS]) / c.expected_micros, 1)
    end
    if c.budget_micros >= 0 then
      bound((c.budget_micros - a[T_SPEND] - a[HELD_TOTAL]) / c.expected_micros, day.part)
    end
  end
  return goal, committed, is_spread
end

-- What the budgets of a campaign leave for today: of the whole budget its `part`, of a daily one all.
local function campaign_today(campaign, c, part)
  local left = math.huge
  if c.campaign_budget_micros >= 0 then
    left = (c.campaign_budget_micros - campaign[T_SPEND] - campaign[HELD_TOTAL]) * part
  end
  if c.campaign_daily_micros >= 0 then
    left = math.min(left, c.campaign_daily_micros - campaign[SPEND] - campaign[HELD_MICROS])
  end
  return math.max(left, 0)
end

-- What may still be drawn from it today.
local function campaign_left(campaign, c)
  return campaign_today(campaign, c, 1)
end

local function is_campaign_paced(c)
  return (c.campaign_budget_micros >= 0 or c.campaign_daily_micros >= 0) and c.expected_micros > 0
end

-- How many selections the campaign's bucket allows a line item now, and whether the accounts
-- changed. A line item that has drawn less than the sibling that leads may empty the bucket; the
-- leader leaves the reserve. So siblings with requests enough draw the same amounts, and what one
-- does not ask for goes to the others. An ASAP line item is held only by the part that is set aside
-- for its paced siblings.
local function campaign_permits(a, campaign, c, now, curve, gains)
  local changed = siblings_join(a, campaign, c, now, curve.rule)
  local is_asap = c.pacing == 'ASAP'
  local paced, asap = siblings_live(campaign)
  if is_asap and paced == 0 then
    campaign[PACED_PART] = 0
    return math.huge, changed
  end
  -- Who asks is there, even where another replica knows better.
  paced, asap = math.max(paced, is_asap and 0 or 1), math.max(asap, is_asap and 1 or 0)
  local day = pacing_day(now, curve, campaign[PACE_END])
  local left, today = campaign_left(campaign, c), campaign_today(campaign, c, day.part)
  local committed = campaign[SPEND] + campaign[HELD_MICROS]
  local released = (call.released_micros[campaign] or 0) * paced / (paced + asap)
  call.released_micros[campaign] = nil
  local reserve, overflow, sampled = pacing_fill(campaign, c.pacing, committed + today, committed, now, day,
    gains, campaign[PACE_UNIT], true, released)
  -- What paced line items leave in a full bucket is free for the others.
  local part = math.min(campaign[PACED_PART] + (asap > 0 and released or 0), left)
  campaign[PACED_PART] = math.max(part - overflow * part / math.max(left, 1), 0)
  local cost = c.expected_micros
  if is_asap then
    return (left - campaign[PACED_PART]) / cost, changed
  end
  local rate = today / math.max(1 - day.share, MIN_SPAN) * day.per_ms
  local most_behind = math.max(rate * MAX_BEHIND_MS, campaign[PACE_UNIT] * MAX_BEHIND)
  a[PACE_DRAWN] = math.max(a[PACE_DRAWN], campaign[PACE_DRAWN] - most_behind)
  local leads = a[PACE_DRAWN] + cost > campaign[PACE_DRAWN]
  return (campaign[PACE_TOKENS] - (leads and reserve or 0)) / cost, changed or sampled
end

-- How many selections pacing allows now (math.huge without a goal), and whether the accounts
-- changed and are worth storing even if nothing is taken.
local function pacing_permits(a, campaign, c, now, curve, gains)
  account_open_pacing(a)
  account_open_pacing(campaign)
  local own, sampled, changed = math.huge, false, false
  if c.pacing ~= 'ASAP' then
    local day = pacing_day(now, curve, c.flight_end_ms, c.goal, c.schedule)
    local goal, committed, is_spread = pacing_goal(a, c, day)
    if goal or is_campaign_paced(c) then
      local released = call.released[a] or 0
      call.released[a] = nil
      -- Without a goal of its own it only remembers where pacing began today.
      local mode, _ = goal and c.pacing or 'Even'
      _, _, sampled = pacing_fill(a, mode, goal or committed, committed, now, day, gains, c.count or 1, false, released,
        is_spread)
    end
    own = goal and a[PACE_TOKENS] or own
  end
  local shared = math.huge
  if is_campaign_paced(c) then
    shared, changed = campaign_permits(a, campaign, c, now, curve, gains)
  end
  return math.min(own, shared), sampled or changed
end

local function pacing_applies(c)
  return c.pacing ~= 'ASAP' or is_campaign_paced(c)
end

-- What staff see of the pacing of a paced line item: how many selections it allows now, its goal of
-- today (of a campaign's budget, an equal part of what is left for its live paced line items) and
-- how much of it is due by now. Nothing when it has no goal.
local function pacing_figures(a, campaign, c, now, curve, gains)
  local permits = pacing_permits(a, campaign, c, now, curve, gains)
  local day = pacing_day(now, curve, c.flight_end_ms, c.goal, c.schedule)
  local goal, committed = pacing_goal(a, c, day)
  if is_campaign_paced(c) then
    local paced, asap = siblings_live(campaign)
    paced = math.max(paced, 1)
    local left, part = campaign_left(campaign, c), campaign[PACED_PART]
    local today = campaign_today(campaign, c, pacing_day(now, curve, campaign[PACE_END]).part)
    local of_paced = (part + (left - part) * paced / (paced + asap)) * today / math.max(left, 1)
    goal = math.min(goal or math.huge, committed + of_paced / paced / c.expected_micros)
  end
  if goal then
    local _, due = pacing_line(a, goal, day)
    return math.max(permits, 0), goal, due
  end
end

-- Takes permits; a negative count gives them back. Call it after the hold is changed.
local function pacing_take(a, campaign, c, count)
  account_open_pacing(a)
  account_open_pacing(campaign)
  local is_asap = c.pacing == 'ASAP'
  if not is_asap then
    a[PACE_TOKENS] = math.max(a[PACE_TOKENS] - count, 0)
  end
  if not is_campaign_paced(c) then
    return
  end
  local cost = c.expected_micros * count
  if is_asap then
    -- Paced line items get as much, each, as each ASAP line item takes.
    local paced, asap = siblings_live(campaign)
    local part = campaign[PACED_PART] + cost * paced / math.max(asap, 1)
    campaign[PACED_PART] = clamp(part, 0, campaign_left(campaign, c))
    return
  end
  campaign[PACE_TOKENS] = math.max(campaign[PACE_TOKENS] - cost, 0)
  campaign[PACED_PART] = clamp(campaign[PACED_PART] - cost, 0, campaign_left(campaign, c))
  a[PACE_DRAWN] = math.max(a[PACE_DRAWN] + cost, 0)
  campaign[PACE_DRAWN] = math.max(campaign[PACE_DRAWN], a[PACE_DRAWN])
end
