-- Settles one hit: counts it once, bills it, confirms what was reserved for it, and appends it to the event stream.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] kinds already seen of this token (string), KEYS[3] frequency places of the user,
--   KEYS[4] event stream of the shard, KEYS[5] event tally of the shard (hash), KEYS[6] serves tally of the shard (hash)
-- ARGV[1] dedupe label: 'impression', 'click', 'event:like', 'impression!prefetch'
-- ARGV[2] what to do: 'impression', 'click', 'event' or 'record' (store only)
-- ARGV[3] ["publisher", "line_item", "campaign", "creative", price_micros, per_click, day, hold_end_ms, token_exp_s, has_user,
--   frequency_window_ms, daily_spend_cap, budget, campaign_budget, expires_at_s, late]: -1 for a limit that is not set, hold_end 0 when
--   nothing was reserved, late when the hit was accepted earlier, while Redis was away
-- ARGV[4] the event as JSON, ARGV[5] its moment in epoch ms, or '' for Redis's now, ARGV[6] tally label of a custom event
-- Returns { outcome, billed_micros, found_hold }: outcome 'counted', 'duplicate' or 'expired'
-- Why atomic: dedupe, billing and the stored event are one act, so no hit is billed twice or stored without being billed.
--
-- @include clock
-- @include account
-- @include frequency

-- A token's kinds are remembered this long after its end, so that a hit that went to Postgres meanwhile is still known when it comes back.
local DEDUPE_MARGIN_MS = 600000
local TALLY_TTL_S = 259200

local f = cjson.decode(ARGV[3])
local publisher, line_item, campaign_id, creative = f[1], f[2], f[3], f[4]
local price, per_click, day, hold_end, exp_ms = f[5], f[6], f[7], f[8], f[9] * 1000
local has_user, window, daily_spend_cap, budget, campaign_budget, expires_at, late = f[10], f[11], f[12], f[13], f[14], f[15], f[16]

local now = clock_ms()
local at = ARGV[5] ~= '' and tonumber(ARGV[5]) or now

-- Past this point the reservation may have been released, so the hit has come too late whatever a replica's own clock says.
if not late and now > exp_ms + RELEASE_MARGIN_MS then
  return { 'expired', 0, 0 }
end

local seen = redis.call('GET', KEYS[2]) or ''
if string.find(seen, ',' .. ARGV[1] .. ',', 1, true) then
  return { 'duplicate', 0, 0 }
end
redis.call('SET', KEYS[2], (seen == '' and ',' or seen) .. ARGV[1] .. ',', 'PX', math.max(exp_ms - now, 0) + DEDUPE_MARGIN_MS)

-- What a click may still bill: its price, or less when less is left of any bound.
local function click_bill(a, campaign)
  local left = price
  if daily_spend_cap >= 0 then
    local spent = day == a[DAY] and a[SPEND] + a[HELD_MICROS] or a[P_SPEND]
    left = math.min(left, daily_spend_cap - spent)
  end
  if budget >= 0 then
    left = math.min(left, budget - a[T_SPEND] - a[HELD_TOTAL])
  end
  if campaign_budget >= 0 then
    left = math.min(left, campaign_budget - campaign[T_SPEND] - campaign[HELD_TOTAL])
  end
  return math.max(left, 0)
end

-- A tally lives as long as something new comes in every few days.
local function tally(key, field)
  if redis.call('HINCRBY', key, field, 1) == 1 then
    redis.call('EXPIRE', key, TALLY_TTL_S)
  end
end

local billed, found = 0, 1

local function settle_accounts()
  local li, camp = 'l' .. line_item, 'c' .. campaign_id
  local packed = redis.call('HMGET', KEYS[1], li, camp)
  local a, renewed = account_open(packed[1], now)
  local campaign = account_open(packed[2], now)
  if ARGV[2] == 'impression' then
    if hold_end == 0 then
      account_add(a, day, SERVES, P_SERVES, 1)
      tally(KEYS[6], table.concat({ day, publisher, campaign_id, line_item, creative }, ':'))
    else
      found = account_unhold(a, hold_end, day, per_click and 0 or price) and 1 or 0
      account_unhold(campaign, hold_end, day, per_click and 0 or price)
    end
    billed = per_click and 0 or price
    for _, account in ipairs({ a, campaign }) do
      account_add(account, day, IMPRESSIONS, P_IMPRESSIONS, 1)
      account[T_IMPRESSIONS] = account[T_IMPRESSIONS] + 1
    end
  else
    billed = per_click and click_bill(a, campaign) or 0
    account_add(a, day, CLICKS, P_CLICKS, 1)
    account_add(campaign, day, CLICKS, P_CLICKS, 1)
  end
  for _, account in ipairs({ a, campaign }) do
    account_add(account, day, SPEND, P_SPEND, billed)
    account[T_SPEND] = account[T_SPEND] + billed
  end
  redis.call('HSET', KEYS[1], li, cmsgpack.pack(a), camp, cmsgpack.pack(campaign))
  if renewed then
    redis.call('EXPIREAT', KEYS[1], expires_at)
  end
end

if ARGV[2] == 'impression' or ARGV[2] == 'click' then
  settle_accounts()
elseif ARGV[2] == 'event' then
  tally(KEYS[5], day .. ':' .. line_item .. ':' .. ARGV[6])
end

if ARGV[2] == 'impression' and has_user and window > 0 then
  local places = frequency_open(redis.call('GET', KEYS[3]) or nil, now)
  frequency_confirm(places, line_item, hold_end, at + window)
  frequency_save(KEYS[3], places, now)
end

redis.call('XADD', KEYS[4], '*', 'e', ARGV[4], 'at', at, 'billed', billed)
return { 'counted', billed, found }
