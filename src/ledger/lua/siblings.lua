-- Which line items share a campaign's budget now: those that had a request in this hour or the last, as far as they may
-- still serve. Requests say the first; what replicas know of the catalog says the second, at once after an edit or the
-- end of a flight. The newest version of the catalog wins, so a replica that is behind changes nothing.
-- siblings_join needs bucket.lua too, which pacing.lua includes and settle.lua does not need.
-- @include account.lua
local siblings_join, siblings_live
-- A script may have 200 locals, and this is one scope of them.
do
  -- In a campaign's account, which has no rate limit: what replicas told last of the line items that may serve now,
  -- paced * TOLD_BASE + ASAP, and as of when. -1: nothing yet.
  local TOLD_COUNTS, TOLD_AS_OF, TOLD_BASE = RATE_TOKENS, RATE_AT, 65536
  -- Added to the hour in which a line item was counted: it was counted as ASAP.
  local AS_ASAP = 0.5

  -- How many paced and how many ASAP line items of a campaign had a request in this hour or the last, as far as they
  -- may still serve.
  function siblings_live(campaign)
    local paced = math.max(campaign[PACED_LIVE], campaign[PACED_BEFORE])
    local asap = math.max(campaign[ASAP_LIVE], campaign[ASAP_BEFORE])
    local told = campaign[TOLD_COUNTS]
    if told < 0 then
      return paced, asap
    end
    return math.min(paced, math.floor(told / TOLD_BASE)), math.min(asap, told % TOLD_BASE)
  end

  -- Takes what a replica knows of the siblings, unless another one knows better. Returns whether that is so, and
  -- whether the account changed. What was set aside for those that are gone is free.
  local function hear(campaign, told)
    if not told then
      return false, false
    elseif told[TOLD.AS_OF] < campaign[TOLD_AS_OF] then
      return true, false
    end
    local counts = told[TOLD.PACED] * TOLD_BASE + told[TOLD.ASAP]
    local is_new = counts ~= campaign[TOLD_COUNTS]
    if is_new then
      local before = siblings_live(campaign)
      campaign[TOLD_COUNTS] = counts
      local paced = siblings_live(campaign)
      if paced < before then
        campaign[PACED_PART] = campaign[PACED_PART] * paced / before
      end
      campaign[PACE_UNIT], campaign[PACE_END] = 0, 0
    end
    is_new = is_new or told[TOLD.AS_OF] > campaign[TOLD_AS_OF]
    campaign[TOLD_AS_OF] = told[TOLD.AS_OF]
    return false, is_new
  end

  local function next_hour(campaign, hour)
    local follows = campaign[PACE_HOUR] == hour - 1
    campaign[PACED_BEFORE] = follows and campaign[PACED_LIVE] or 0
    campaign[ASAP_BEFORE] = follows and campaign[ASAP_LIVE] or 0
    campaign[PACED_LIVE], campaign[ASAP_LIVE], campaign[PACE_HOUR] = 0, 0, hour
  end

  -- Counts a line item once an hour among the siblings that have requests, and anew when its pacing was changed.
  -- `rule`: the publisher's days. Returns whether the accounts changed.
  function siblings_join(a, campaign, c, now, rule)
    local hour = math.floor(now / MS_PER_HOUR)
    if campaign[PACE_HOUR] < hour then
      next_hour(campaign, hour)
      if not pacing_is_begun(campaign, (day_bounds(rule, now))) then
        campaign[PACE_UNIT], campaign[PACE_END] = 0, 0
      end
    end
    local is_behind, changed = hear(campaign, c.siblings)
    local is_asap = c.pacing == 'ASAP'
    local counted, counts = a[PACE_HOUR] >= hour, is_asap and ASAP_LIVE or PACED_LIVE
    local moves = counted and not is_behind and (a[PACE_HOUR] > hour) ~= is_asap
    if moves then
      local other = is_asap and PACED_LIVE or ASAP_LIVE
      campaign[other] = math.max(campaign[other] - 1, 0)
    end
    if moves or not counted then
      a[PACE_HOUR], campaign[counts] = hour + (is_asap and AS_ASAP or 0), campaign[counts] + 1
    end
    local unit = c.expected_micros * (c.count or 1)
    local grows = unit > campaign[PACE_UNIT] or c.flight_end_ms > campaign[PACE_END]
    campaign[PACE_UNIT] = math.max(campaign[PACE_UNIT], unit)
    campaign[PACE_END] = math.max(campaign[PACE_END], c.flight_end_ms)
    return changed or moves or not counted or grows
  end
end
