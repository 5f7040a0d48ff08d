-- A clock that is set by hand, in the key CLOCK_KEY: a day in seconds for the simulation, exact moments for tests.
-- The service never loads it.
local function clock_ms()
  return tonumber(redis.call('GET', CLOCK_KEY))
end
