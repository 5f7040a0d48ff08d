-- wrk script: GET each path of a file once, in order. Arguments: the file. When all have been used it begins again, and `repeated` counts.
-- Prints one JSON line at the end.
local BROWSER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36'
local paths, at, sent = {}, 0, 0
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for path in io.lines(args[1]) do
    paths[#paths + 1] = wrk.format('GET', path, { ['User-Agent'] = BROWSER })
  end
  repeated = 0
end

function request()
  sent = sent + 1
  if sent > #paths then
    repeated = repeated + 1
  end
  at = at % #paths + 1
  return paths[at]
end

function done(summary, latency)
  local e, again = summary.errors, 0
  for _, thread in ipairs(threads) do
    again = again + thread:get('repeated')
  end
  io.write(string.format('{"requests":%d,"micros":%d,"bytes":%d,"errors":%d,"repeated":%d,"p50":%d,"p99":%d}\n', summary.requests,
    summary.duration, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout, again, latency:percentile(50),
    latency:percentile(99)))
end
