-- A clock set through the key CLOCK_KEY: for simulations, which run a day in seconds, and for tests
-- that need exact times. The service never loads it.
local function clock_ms()
  return tonumber(redis.call('GET', CLOCK_KEY))
end
