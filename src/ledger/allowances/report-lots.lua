-- Reports what became of lots (../lua/lots.lua): counts the ads that were handed out as serves, and
-- takes back what was not handed out, and reservations whose answer came too late.
--
-- KEYS per publisher p = 0, 1, …: KEYS[3p + 1] accounts of the publisher (hash), KEYS[3p + 2] serves tally of its
--   shard (hash), KEYS[3p + 3] broken accounts of the shard (hash); then what is remembered of the caller's
--   last call (string), and the record of epochs (../reserve/trust-books.lua)
-- ARGV[1] the number of publishers and the epoch of the books that the caller knows; ARGV[2] the number of the call, which
--   grows from one of a caller to the next; then per report two arguments: the report and its candidate, JSON arrays by the field lists of
--   report-lots.ts and encode-candidate.ts
-- Returns per report how many ads were taken back; -1: the accounts are not rebuilt, and nothing was
-- Why atomic: accounts are read, changed and written.
-- Idempotent: a call that was not answered is sent again with its number, and gets the answer that it missed. What was
-- answered -1 the caller reports again.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/tally.lua
-- @include ../lua/pacing.lua

local PUBLISHER_KEYS = 3
-- Longer than any hold (TOKEN_TTL is at most half of it): what is reported again later finds none.
local REMEMBERED_S = 86400

-- What is remembered of a caller: 'epoch number answer'. Returns the answer when the call was carried out before. Of another
-- epoch nothing is remembered: the holds that were reported are in the accounts that were rebuilt since.
local function answered_before(memory, number)
  local epoch, last, answer = string.match(redis.call('GET', memory) or '', '^(%S*) (%d+) (.+)$')
  return epoch == call.epoch and tonumber(number) <= tonumber(last) and cjson.decode(answer)
end

-- Returns how many were taken back: all, or 0 when the hold is gone.
local function take_back(report, c, a, campaign)
  local micros = c.holds_price and c.price_micros * report.returned or 0
  if not account_unhold(a, report.hold_end_ms, report.day, report.returned, micros) then
    return 0
  end
  account_unhold(campaign, report.hold_end_ms, report.day, report.returned, micros)
  if report.is_paced and report.day == a[DAY] and pacing_applies(c) then
    pacing_take(a, campaign, c, -report.returned)
  end
  return report.returned
end

local function report_one(report, c, keys)
  local at = report.publisher * PUBLISHER_KEYS
  local accounts = keys[at + 1]
  local book = books_of(accounts, keys[at + 3], call.clock)
  local a, campaign = books_open(accounts, book, c.line_item, c.campaign)
  call.expires_at[accounts] = report.expires_at_s
  local returned = 0
  if a then
    book.dirty[c.line_item], book.dirty[c.campaign] = true, true
    returned = report.returned > 0 and take_back(report, c, a, campaign) or 0
  end
  if report.served > 0 or (report.served < 0 and returned > 0) then
    if a then
      account_add(a, report.day, SERVES, P_SERVES, report.served)
      account_add(campaign, report.day, SERVES, P_SERVES, report.served)
    end
    tally_add_serves(keys[at + 2], report.day, c.tally, report.served)
  end
  return a and returned or -1
end

local function report_lots(keys, args)
  call_begin()
  call.clock = clock_ms()
  call.expires_at = {}
  call_scope(args[1], keys)
  local memory, number = keys[#keys - 1], args[2]
  local known = answered_before(memory, number)
  if known then
    return known
  end
  local returned = {}
  for i = 3, #args, 2 do
    local report, candidate = cjson.decode(args[i]), cjson.decode(args[i + 1])
    returned[#returned + 1] = report_one(report_record(report), candidate_record(candidate), keys)
  end
  books_save(call.expires_at)
  tally_save()
  redis.call('SET', memory, call.epoch .. ' ' .. number .. ' ' .. cjson.encode(returned), 'EX', REMEMBERED_S)
  return returned
end
