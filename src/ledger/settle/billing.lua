-- What a hit bills and adds to its accounts.
-- @include ../lua/books.lua
-- @include ../lua/tally.lua

-- The amount that a hit after the impression may bill of which nothing is held: its price, or what is left of a limit if
-- that is less.
local function later_bill(h, a, campaign)
  -- The held sums of a broken account mean nothing.
  local function held(account, field)
    return account[BROKEN] == 0 and account[field] or 0
  end
  -- Of a day that the account no longer knows, nothing is known to be left. For a restored hit,
  -- tracking/refilter-day.ts has checked that day.
  local function daily_left(account, limit)
    if limit < 0 or (h.restored ~= '' and h.day < account[DAY] - 1) then
      return math.huge
    end
    local spent = h.day == account[DAY] and account[SPEND] + held(account, HELD_MICROS)
      or h.day == account[DAY] - 1 and account[P_SPEND]
      or limit
    return limit - spent
  end
  local left = math.min(h.price_micros, daily_left(a, h.daily_spend_micros), daily_left(campaign, h.campaign_daily_micros))
  if h.budget_micros >= 0 then
    left = math.min(left, h.budget_micros - a[T_SPEND] - held(a, HELD_TOTAL))
  end
  if h.campaign_budget_micros >= 0 then
    left = math.min(left, h.campaign_budget_micros - campaign[T_SPEND] - held(campaign, HELD_TOTAL))
  end
  return math.max(left, 0)
end

local function add_impression(account, day, billed)
  account_add(account, day, IMPRESSIONS, P_IMPRESSIONS, 1)
  account_add(account, day, SPEND, P_SPEND, billed)
  account[T_IMPRESSIONS] = account[T_IMPRESSIONS] + 1
  account[T_SPEND] = account[T_SPEND] + billed
end

-- An event that bills is counted in the event tally; the account knows what it billed.
local function add_spend(account, day, billed)
  account_add(account, day, SPEND, P_SPEND, billed)
  account[T_SPEND] = account[T_SPEND] + billed
end

local function add_click(account, day, billed)
  account_add(account, day, CLICKS, P_CLICKS, 1)
  account[T_CLICKS] = account[T_CLICKS] + 1
  add_spend(account, day, billed)
end

-- Moves an impression from held to delivered. Returns whether the hold existed.
local function settle_impression(h, a, campaign, held_micros, serves)
  local found = true
  if h.hold_end_ms == 0 then
    account_add(a, h.day, SERVES, P_SERVES, 1)
    account_add(campaign, h.day, SERVES, P_SERVES, 1)
    tally_add_serves(serves, h.day, h.tally, 1)
  elseif h.restored == '' then
    found = account_unhold(a, h.hold_end_ms, h.day, 1, held_micros)
    account_unhold(campaign, h.hold_end_ms, h.day, 1, held_micros)
  end
  add_impression(a, h.day, held_micros)
  add_impression(campaign, h.day, held_micros)
  return found
end

-- Takes the price of a video that is complete out of its hold. Returns nil when it is not there any more, or one of the accounts is
-- broken: then the hold of the other one ends, and what is left bills.
local function held_bill(h, a, campaign)
  if not h.is_held or not account_unhold(a, h.hold_end_ms, h.day, 0, h.price_micros) then
    return nil
  end
  account_unhold(campaign, h.hold_end_ms, h.day, 0, h.price_micros)
  return a[BROKEN] == 0 and campaign[BROKEN] == 0 and h.price_micros or nil
end

-- The accounts of a hit, at its day or a later one.
local function accounts_of(h, accounts_key, book)
  local a, campaign = books_open(accounts_key, book, h.line_item, h.campaign)
  -- An ad that was served without counters has the day of its replica, whose clock may be ahead.
  if h.day > a[DAY] then
    account_roll_over(a, h.day)
    account_roll_over(campaign, h.day)
  end
  return a, campaign
end

-- Returns the billed amount, and whether an impression's hold existed.
local function settle_accounts(h, accounts_key, book, serves)
  local a, campaign = accounts_of(h, accounts_key, book)
  local billed, found = 0, true
  if h.action == 'impression' then
    billed = h.bills and h.price_micros or 0
    found = settle_impression(h, a, campaign, billed, serves)
  else
    billed = h.bills and (held_bill(h, a, campaign) or later_bill(h, a, campaign)) or 0
    local add = h.action == 'click' and add_click or add_spend
    add(a, h.day, billed)
    add(campaign, h.day, billed)
  end
  book.dirty[h.line_item], book.dirty[h.campaign] = true, true
  return billed, found
end
