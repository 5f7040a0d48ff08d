-- What may not be shown beside the ads that a page has so far: a creative twice, an exclusive advertiser twice, two
-- advertisers that share an exclusion label. The same in TypeScript, for one answer: src/decision/shown-together.ts.
-- A page is one request, or the requests with one page view, whatever replicas they come from. Include after call.lua.
local page_refusal, page_add, page_open, pages_save
do
  -- A page is known for so long after its last ad.
  local PAGE_TTL_MS = 600000
  -- Who asks for more ads in one page view is no page: what else it gets is not noted.
  local MAX_ADS = 100

  -- What a page view shows, for the requests of this call.
  function page_open(key)
    local page = call.pages[key]
    if not page then
      local packed = redis.call('GET', key)
      page = { shown = packed and cmsgpack.unpack(packed) or { ads = 0 } }
      page.shown.ads = page.shown.ads or 0
      page.ads = page.shown.ads
      call.pages[key] = page
    end
    return page.shown
  end

  -- Writes the pages of this call that show more now.
  function pages_save()
    for key, page in pairs(call.pages) do
      if page.shown.ads > page.ads then
        redis.call('SET', key, cmsgpack.pack(page.shown), 'PX', PAGE_TTL_MS)
      end
    end
  end

  -- Why a candidate may not be shown, or nil.
  function page_refusal(shown, c)
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

  function page_add(shown, c)
    if shown.ads and shown.ads >= MAX_ADS then
      return
    end
    shown.ads = (shown.ads or 0) + 1
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
end
