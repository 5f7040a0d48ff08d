-- Redis's clock in whole milliseconds, which all replicas share.
local function clock_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
