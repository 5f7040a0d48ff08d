-- What may not be shown beside the ads that an answer has so far: a creative twice, an exclusive
-- advertiser twice, two advertisers that share an exclusion label. The same in TypeScript:
-- src/decision/shown-together.ts.

-- Why a candidate may not be shown, or nil. `shown` belongs to one request.
local function page_refusal(shown, c)
  if shown[c.creative] then
    return NBR.DUPLICATE_IN_PAGE
  end
  if not c.advertiser then
    return nil
  end
  if c.exclusive and shown['advertiser ' .. c.advertiser] then
    return NBR.COMPETITOR_IN_PAGE
  end
  for _, label in ipairs(c.exclusion_labels) do
    if (shown['label ' .. label] or c.advertiser) ~= c.advertiser then
      return NBR.COMPETITOR_IN_PAGE
    end
  end
end

local function page_add(shown, c)
  shown[c.creative] = true
  if not c.advertiser then
    return
  end
  if c.exclusive then
    shown['advertiser ' .. c.advertiser] = true
  end
  for _, label in ipairs(c.exclusion_labels) do
    shown['label ' .. label] = c.advertiser
  end
end
