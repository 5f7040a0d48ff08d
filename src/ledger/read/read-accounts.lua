-- Reads accounts for people and for repair: what stands there, without changing it.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] fold horizon of the shard; ARGV fields of the hash: 'l<line item>' or 'c<campaign>'
-- Returns per field nothing, or numbers: day, serves, impressions, clicks, spend, yesterday's serves, impressions, clicks, spend,
--   total impressions, total spend, reservations held today, micros held today, micros held in all, pacing allowance in thousandths,
--   and where pacing stands: 1 when it has begun today, share of the day at which it began in millionths, committed then, and of the
--   controller in thousandths: hours behind, its integral, its slope, the multiple of the even rate
-- Why a script: the account is packed, released and rolled over by the code that also writes it.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/account.lua

local now = clock_ms()
local horizon = tonumber(redis.call('GET', KEYS[2]) or '0')
local packed = redis.call('HMGET', KEYS[1], unpack(ARGV))
local results = {}
for i = 1, #ARGV do
  if packed[i] then
    local a = account_open(packed[i], now)
    account_release(a, now, function()
      return horizon
    end)
    results[i] = { a[DAY], a[SERVES], a[IMPRESSIONS], a[CLICKS], a[SPEND], a[P_SERVES], a[P_IMPRESSIONS], a[P_CLICKS], a[P_SPEND],
      a[T_IMPRESSIONS], a[T_SPEND], a[HELD_COUNT], a[HELD_MICROS], a[HELD_TOTAL], math.floor(a[PACE_TOKENS] * 1000),
      math.floor(a[PACE_AT] / MS_PER_DAY) == a[DAY] and 1 or 0, math.floor(a[PACE_FROM] * 1000000), a[PACE_BASE],
      math.floor(a[PACE_ERROR] * 1000), math.floor(a[PACE_INTEGRAL] * 1000), math.floor(a[PACE_SLOPE] * 1000),
      math.floor(a[PACE_FACTOR] * 1000) }
  else
    results[i] = {}
  end
end
return results
