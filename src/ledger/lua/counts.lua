-- The counts of an account that rows in Postgres can be compared with, by the names of
-- account-books.ts.
-- @include account.lua
local COUNTS = {
  serves = SERVES,
  impressions = IMPRESSIONS,
  clicks = CLICKS,
  spend_micros = SPEND,
  yesterday_serves = P_SERVES,
  yesterday_impressions = P_IMPRESSIONS,
  yesterday_clicks = P_CLICKS,
  yesterday_spend_micros = P_SPEND,
  total_impressions = T_IMPRESSIONS,
  total_spend_micros = T_SPEND,
  total_clicks = T_CLICKS,
}

local function account_counts(a)
  local counts = { day = a[DAY] }
  for name, field in pairs(COUNTS) do
    counts[name] = a[field]
  end
  return counts
end

-- Adds differences to the counts; none becomes negative.
local function account_add_counts(a, difference)
  for name, field in pairs(COUNTS) do
    a[field] = math.max(a[field] + difference[name], 0)
  end
end
