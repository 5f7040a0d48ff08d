-- Says of each candidate whether its limits would let it be reserved now, and what they stand at. Changes nothing.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard, KEYS[3] frequency places of the user (without a user: never touched)
-- ARGV[1] 'kp ki kd reads_places hour_start share_before share_of_hour', ARGV[2], … candidates (include/candidate.lua)
-- Returns now_ms, then per candidate numbers: no-bid reason or 0, impressions today, reservations held today, spend today, micros held today,
--   total spend, micros held in all, the campaign's total spend and micros held; then -1 where it has no such limit: the user's places,
--   rate tokens in thousandths, pacing allowance in thousandths, pacing goal of the day, impressions due by now
-- Why a script: the limits are judged by the code that also enforces them, on accounts that it unpacks, rolls over and releases the same way.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua
-- @include ../lua/frequency.lua
-- @include ../lua/candidate.lua
-- @include ../lua/pacing.lua
-- @include ../lua/limits.lua

local now = clock_ms()
local horizon = tonumber(redis.call('GET', KEYS[2]) or '0')
local settings = {}
for word in string.gmatch(ARGV[1], '%S+') do
  settings[#settings + 1] = tonumber(word)
end
local gains = { kp = settings[1], ki = settings[2], kd = settings[3] }
local curve = { hour_start = settings[5], share_before = settings[6], share_of_hour = settings[7] }
local places = settings[4] == 1 and frequency_open(redis.call('GET', KEYS[3]) or nil, now) or nil

local function read(packed)
  local a = account_open(packed, now)
  account_release(a, now, function()
    return horizon
  end)
  return a
end

local function thousandths(number)
  return math.floor(number * 1000 + 0.5)
end

local results = { now }
for i = 2, #ARGV do
  local c = candidate_read(ARGV[i])
  local packed = redis.call('HMGET', KEYS[1], c.line_item, c.campaign)
  local a, campaign = read(packed[1]), read(packed[2])
  local reason = limits_refusal(a, campaign, c, places, now, curve, gains) or 0
  local allowance, goal, due = -1, -1, -1
  if c.pacing ~= 'ASAP' then
    -- Judged only when everything before it agrees; shown always.
    if reason ~= 0 and reason ~= PACING and reason ~= RATE_LIMIT then
      pacing_allows(a, campaign, c, now, curve, gains)
    end
    local share = pacing_day(now, curve, c.flight_end)
    local whole_day = pacing_goal(a, campaign, c, now, share)
    if whole_day then
      allowance, goal, due = thousandths(math.max(a[PACE_TOKENS], 0)), math.floor(whole_day), math.floor(whole_day * share)
    end
  end
  results[i] = { reason, a[IMPRESSIONS], a[HELD_COUNT], a[SPEND], a[HELD_MICROS], a[T_SPEND], a[HELD_TOTAL], campaign[T_SPEND], campaign[HELD_TOTAL],
    c.places >= 0 and places and frequency_count(places, c.line_item) or -1, c.rate >= 0 and thousandths(limits_rate_tokens(a, c, now)) or -1,
    allowance, goal, due }
end
return results
