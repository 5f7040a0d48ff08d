-- Ends the hold of an ad that will not be shown: its place and its money are free for the next request. Include after
-- billing.lua, frequency.lua and clients.lua.

-- Whether there is a hold to end: the impression has not counted, and the hold has not ended by itself.
local function release_is_due(h, seen, now)
  return h.hold_end_ms > now and not string.find(seen, ',impression,', 1, true)
end

local function release_hold(h, accounts_key, book, places_key, clients_key)
  local a, campaign = accounts_of(h, accounts_key, book)
  local micros = h.bills and h.price_micros or 0
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
