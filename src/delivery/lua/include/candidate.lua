-- One candidate of a request as encode-candidate.ts writes it: fifteen words separated by blanks, -1 for a limit that is not set.
local CANDIDATE = '^' .. string.rep('(%S+) ', 14) .. '(%S+)$'

local function candidate_read(text)
  local creative, line_item, campaign, price, expected_price, per_click, daily_cap, daily_spend_cap, budget, campaign_budget, places,
    rate, burst, pacing, flight_end = string.match(text, CANDIDATE)
  return {
    creative = creative,
    line_item = line_item,
    campaign = campaign,
    price = tonumber(price),
    expected_price = tonumber(expected_price),
    per_click = per_click == '1',
    daily_cap = tonumber(daily_cap),
    daily_spend_cap = tonumber(daily_spend_cap),
    budget = tonumber(budget),
    campaign_budget = tonumber(campaign_budget),
    places = tonumber(places),
    rate = tonumber(rate),
    burst = tonumber(burst),
    pacing = pacing,
    flight_end = tonumber(flight_end),
  }
end
