-- Settles hits: counts each once, bills it, confirms what was reserved for it, and appends it to the event stream of its shard.
--
-- KEYS per hit h = 0, 1, …: KEYS[6h + 1] accounts of the publisher (hash), KEYS[6h + 2] kinds already seen of this token (string),
--   KEYS[6h + 3] frequency places of the user, KEYS[6h + 4] event stream of the shard, KEYS[6h + 5] event tally of the shard (hash),
--   KEYS[6h + 6] serves tally of the shard (hash)
-- ARGV per hit: ARGV[2h + 1] ["label", "what", "line_item", "campaign", "tally", price_micros, per_click, day, hold_end_ms,
--   token_exp_s, has_user, frequency_window_ms, daily_spend_cap, budget, campaign_budget, expires_at_s, late_at_ms, "event_tally"]
--   label: what is counted once, 'impression', 'click', 'event:like', 'impression!prefetch'; what to do: 'impression', 'click', 'event' or
--   'record' (store only); line item and campaign by the fields of their accounts, the tallies by what follows the day in their
--   fields; -1 for a limit that is not set; hold_end 0 when nothing was reserved; late_at_ms: when it was accepted, while Redis was away,
--   else 0. ARGV[2h + 2] the event as JSON
-- Returns per hit 'outcome billed_micros found_hold': outcome 'counted', 'duplicate' or 'expired'
-- Why atomic: dedupe, billing and the stored event are one act, so no hit is billed twice or stored without being billed.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua
-- @include ../lua/books.lua
-- @include ../lua/frequency.lua

-- A token's kinds are remembered this long after its end, so that a hit that went to Postgres meanwhile is still known when it comes back.
local DEDUPE_MARGIN_MS = 600000
local TALLY_TTL_S = 259200

local now = clock_ms()

-- What a click may still bill: its price, or less when less is left of any bound.
local function click_bill(h, a, campaign)
  local left = h.price
  if h.daily_spend_cap >= 0 then
    local spent = h.day == a[DAY] and a[SPEND] + a[HELD_MICROS] or a[P_SPEND]
    left = math.min(left, h.daily_spend_cap - spent)
  end
  if h.budget >= 0 then
    left = math.min(left, h.budget - a[T_SPEND] - a[HELD_TOTAL])
  end
  if h.campaign_budget >= 0 then
    left = math.min(left, h.campaign_budget - campaign[T_SPEND] - campaign[HELD_TOTAL])
  end
  return math.max(left, 0)
end

-- A tally lives as long as something new comes in every few days.
local function tally(key, field)
  if redis.call('HINCRBY', key, field, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end

-- Moves what an impression held to what it has delivered. Returns whether the hold was there.
local function settle_impression(h, a, campaign)
  local found = true
  if h.hold_end == 0 then
    account_add(a, h.day, SERVES, P_SERVES, 1)
    tally(h.serves, h.day .. ':' .. h.tally)
  else
    found = account_unhold(a, h.hold_end, h.day, h.per_impression)
    account_unhold(campaign, h.hold_end, h.day, h.per_impression)
  end
  for _, account in ipairs({ a, campaign }) do
    account_add(account, h.day, IMPRESSIONS, P_IMPRESSIONS, 1)
    account[T_IMPRESSIONS] = account[T_IMPRESSIONS] + 1
  end
  return found
end

-- Returns what was billed, and whether an impression's hold was there.
local function settle_accounts(h)
  local book, a, campaign = books_open(h.accounts, h.line_item, h.campaign, now)
  local billed, found = h.per_impression, true
  if h.what == 'impression' then
    found = settle_impression(h, a, campaign)
  else
    billed = h.per_click and click_bill(h, a, campaign) or 0
    account_add(a, h.day, CLICKS, P_CLICKS, 1)
    account_add(campaign, h.day, CLICKS, P_CLICKS, 1)
  end
  for _, account in ipairs({ a, campaign }) do
    account_add(account, h.day, SPEND, P_SPEND, billed)
    account[T_SPEND] = account[T_SPEND] + billed
  end
  book.dirty[h.line_item], book.dirty[h.campaign] = true, true
  return billed, found
end

local function settle(h, event)
  -- Past this point the reservation may have been released, so the hit has come too late whatever a replica's own clock says.
  if h.late_at == 0 and now > h.exp_ms + RELEASE_MARGIN_MS then
    return 'expired 0 0'
  end
  local seen = redis.call('GET', h.seen) or ''
  if string.find(seen, ',' .. h.label .. ',', 1, true) then
    return 'duplicate 0 0'
  end
  redis.call('SET', h.seen, (seen == '' and ',' or seen) .. h.label .. ',', 'PX', math.max(h.exp_ms - now, 0) + DEDUPE_MARGIN_MS)

  local billed, found = 0, true
  if h.what == 'impression' or h.what == 'click' then
    billed, found = settle_accounts(h)
  elseif h.what == 'event' then
    tally(h.event_tallies, h.day .. ':' .. h.event_tally)
  end
  local at = h.late_at > 0 and h.late_at or now
  if h.what == 'impression' and h.has_user and h.window > 0 then
    local places = frequency_open(redis.call('GET', h.places) or nil, now)
    frequency_confirm(places, h.line_item, h.hold_end, at + h.window)
    frequency_save(h.places, places, now)
  end
  redis.call('XADD', h.events, '*', 'e', event, 'at', at, 'billed', billed)
  return 'counted ' .. billed .. (found and ' 1' or ' 0')
end

local results, expires_at = {}, {}
for i = 0, #ARGV / 2 - 1 do
  local f, k = cjson.decode(ARGV[2 * i + 1]), 6 * i
  expires_at[KEYS[k + 1]] = f[16]
  results[i + 1] = settle({
    accounts = KEYS[k + 1], seen = KEYS[k + 2], places = KEYS[k + 3], events = KEYS[k + 4], event_tallies = KEYS[k + 5], serves = KEYS[k + 6],
    label = f[1], what = f[2], line_item = f[3], campaign = f[4], tally = f[5], price = f[6], per_click = f[7],
    per_impression = f[7] and 0 or f[6], day = f[8], hold_end = f[9], exp_ms = f[10] * 1000, has_user = f[11], window = f[12],
    daily_spend_cap = f[13], budget = f[14], campaign_budget = f[15], late_at = f[17], event_tally = f[18],
  }, ARGV[2 * i + 2])
end
books_save(expires_at)
return results
