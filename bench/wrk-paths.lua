-- wrk script: GET each path of a file once, in order. Arguments: the file, a number that is not read, the browser.
-- When all have been used it begins again, and `repeated` counts. Prints one JSON line at the end.
local paths, at, sent = {}, 0, 0
local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for path in io.lines(args[1]) do
    paths[#paths + 1] = wrk.format('GET', path, { ['User-Agent'] = args[3] })
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
