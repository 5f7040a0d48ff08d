-- A clock that stands until somebody sets it: a day in seconds for the simulation, exact moments for tests. Never loaded by the service.
local function clock_ms()
  return tonumber(redis.call('GET', 'ads:virtual-clock'))
end
