-- Ends the hold of an ad that will not be shown: its place and its money are free for the next request.
-- @include billing.lua
-- @include ../lua/siblings.lua
-- @include ../lua/frequency.lua
-- @include ../lua/clients.lua

-- Whether there is a hold to end: the impression has not counted, and the hold has not ended by itself.
local function release_is_due(h, seen, now)
  return h.hold_end_ms > now and not string.find(seen, ',impression,', 1, true)
end

-- The permits that the ad took today are given back, as when a hold ends (../lua/pacing.lua).
local function release_permits(a, campaign, day, micros)
  if day ~= a[DAY] then
    return
  end
  account_open_pacing(a)
  a[PACE_TOKENS] = a[PACE_TOKENS] + 1
  account_open_pacing(campaign)
  local paced, asap = siblings_live(campaign)
  local of_paced = micros * paced / math.max(paced + asap, 1)
  campaign[PACE_TOKENS] = campaign[PACE_TOKENS] + of_paced
  campaign[PACED_PART] = campaign[PACED_PART] + (asap > 0 and of_paced or 0)
end

local function release_hold(h, accounts_key, book, places_key, clients_key)
  local a, campaign = accounts_of(h, accounts_key, book)
  local micros = h.bills and h.price_micros or 0
  release_permits(a, campaign, h.day, micros)
  account_unhold(a, h.hold_end_ms, h.day, 1, micros)
  account_unhold(campaign, h.hold_end_ms, h.day, 1, micros)
  book.dirty[h.line_item], book.dirty[h.campaign] = true, true
  if h.has_user and h.counted then
    frequency_release(frequency_open(places_key, book.now), h.counted, h.hold_end_ms)
  end
  if h.client ~= '' then
    local clients = clients_of(clients_key)
    clients_open(clients, clients_key, book.now)
    client_return(clients, clients.open[h.client], h.hold_end_ms - h.served_at_ms)
  end
end
