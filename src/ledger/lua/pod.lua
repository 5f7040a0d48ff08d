-- What may not be shown in one ad break of a video: ads longer than the break together, an advertiser twice. The same in
-- TypeScript: src/decision/pod.ts. A pod belongs to one request (request.pods, by id); what earlier calls for it have taken
-- is not in `left_ms` any more.
-- @include call.lua
local pods = {}

-- Why a candidate may not be shown, or nil.
function pods.refusal(request, c)
  local share = c.pod
  if not share then
    return nil
  end
  local pod = request.pods[share[POD.ID]]
  for _, advertiser in ipairs(pod and share[POD.ADVERTISERS] or {}) do
    if pod.advertisers[advertiser] then
      return NBR.COMPETITOR_IN_PAGE
    end
  end
  if share[POD.DURATION_MS] > share[POD.LEFT_MS] - (pod and pod.used_ms or 0) then
    return NBR.BREAK_FULL
  end
end

function pods.add(request, c)
  local share = c.pod
  if not share then
    return
  end
  local pod = request.pods[share[POD.ID]] or { used_ms = 0, advertisers = {} }
  request.pods[share[POD.ID]] = pod
  pod.used_ms = pod.used_ms + share[POD.DURATION_MS]
  for _, advertiser in ipairs(share[POD.ADVERTISERS]) do
    pod.advertisers[advertiser] = true
  end
end
