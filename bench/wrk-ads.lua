-- wrk script: ad requests from a file of lines '<api key>\t<body>', each with a user drawn anew. Arguments: the file,
-- the seed, the browser of pixels (unused), the path.
-- Prints one JSON line at the end.
local MARK = '@USER-ID-12@'
local before, after, at = {}, {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local key, body = line:match('^(.-)\t(.*)$')
    local raw = wrk.format('POST', args[4] or '/ad', { ['Content-Type'] = 'application/json', ['X-API-Key'] = key }, body)
    local from, to = raw:find(MARK, 1, true)
    before[#before + 1], after[#after + 1] = raw:sub(1, from - 1), raw:sub(to + 1)
  end
  math.randomseed(tonumber(args[2] or '1'))
  at = math.random(#before)
end

function request()
  at = at % #before + 1
  return before[at] .. string.format('%012d', math.random(1000000)) .. after[at]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"micros":%d,"bytes":%d,"errors":%d,"p50":%d,"p99":%d}\n', summary.requests, summary.duration,
    summary.bytes, e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
