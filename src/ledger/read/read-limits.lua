-- Reads for each candidate whether its limits would let it be reserved now, and their current
-- values. Changes nothing.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard, KEYS[3] frequency places of the user
--   (without a user: never touched), KEYS[4] record of epochs
-- ARGV[1] the question, ARGV[2], … candidates: JSON arrays by the field lists of read-limits.ts and
--   encode-candidate.ts
-- Returns per candidate whole numbers by the field list of read-limits.ts; -1 where it has no such limit
-- Why a script: the limits are checked by the code that also enforces them, on accounts that it
-- unpacks, rolls over
--   and releases in the same way.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/horizon.lua
-- @include ../lua/limits.lua

call_begin()
local question = question_record(cjson.decode(ARGV[1]))
call.epoch, call.epoch_key = question.epoch, KEYS[4]
local horizon = horizon_of(KEYS[2])
local book = books_of(KEYS[1], nil, clock_ms(), horizon, question.days)
question.rule = book.days
local now = book.now
local user = question.reads_places and frequency_open(KEYS[3], now, horizon) or nil

local function thousandths(number)
  return math.floor(number * 1000 + 0.5)
end

-- The frequency cap that leaves the user least: its number from 0, how many places are taken of it, and when one of
-- them is free again (ms), -1 when one is free now. -1 without a cap or a user.
local function tightest_cap(c)
  local at, held, free_at, least = -1, -1, -1, math.huge
  for i = 1, user and c.caps and #c.caps or 0, 3 do
    local max, ends = c.caps[i + 1], frequency_ends(user, c.caps[i], c.caps[i + 2])
    if max - #ends < least then
      table.sort(ends)
      at, held, free_at, least = (i - 1) / 3, #ends, ends[#ends - max + 1] or -1, max - #ends
    end
  end
  return at, held, free_at
end

local results = {}
for i = 2, #ARGV do
  local c = candidate_record(cjson.decode(ARGV[i]))
  local packed = redis.call('HMGET', KEYS[1], c.line_item, c.campaign)
  local a = account_open(packed[1], book)
  local campaign = account_open(packed[2], book)
  local is_rebuilt = book.state == 'open' or (book.state == 'rebuilding' and packed[1] and packed[2])
  local reason = not is_rebuilt and limits_apply(c) and NBR.BOOKS_REBUILDING
    or limits_refusal(a, campaign, c, user, now, question, question) or 0
  local permits, goal, due, began_at, began_with = -1, -1, -1, -1, -1
  if c.pacing ~= 'ASAP' then
    -- limits_refusal reaches pacing only when no earlier limit refuses, so it is filled here too.
    local now_permitted, whole_day, by_now = pacing_figures(a, campaign, c, now, question, question)
    if now_permitted then
      permits, goal, due = thousandths(now_permitted), math.floor(whole_day), math.floor(by_now)
      began_at, began_with = math.floor(a[PACE_FROM] * 1000000), a[PACE_BASE]
    end
  end
  local cap_at, places_held, place_free_at = tightest_cap(c)
  results[i - 1] = reading_row({
    nbr = reason,
    impressions_today = a[IMPRESSIONS],
    held_today = a[HELD_COUNT],
    spend_today_micros = a[SPEND],
    held_today_micros = a[HELD_MICROS],
    total_impressions = a[T_IMPRESSIONS],
    held_impressions = a[OLDER_COUNT] + a[HOLD_COUNT],
    total_clicks = a[T_CLICKS],
    total_spend_micros = a[T_SPEND],
    held_micros = a[HELD_TOTAL],
    campaign_spend_micros = campaign[T_SPEND],
    campaign_held_micros = campaign[HELD_TOTAL],
    campaign_spend_today_micros = campaign[SPEND],
    campaign_held_today_micros = campaign[HELD_MICROS],
    cap_at = cap_at,
    places_held = places_held,
    place_free_at_ms = place_free_at,
    rate_thousandths = c.rate_per_second >= 0 and thousandths(limits_rate_tokens(a, c, now)) or -1,
    permits_thousandths = permits,
    goal = goal,
    due = due,
    began_millionths = began_at,
    began_with = began_with,
  })
end
return results
