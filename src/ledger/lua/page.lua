-- What may not be shown beside the ads that a page has so far: a creative twice, an exclusive advertiser twice, two
-- advertisers that share an exclusion label. The same in TypeScript, for one answer: src/decision/shown-together.ts.
-- A page is one request, or the requests with one page view, whatever replicas they come from.
-- @include call.lua
local pages = {}
do
  -- A page is known for so long after its last ad.
  local PAGE_TTL_MS = 600000
  -- Who asks for more ads in one page view is no page: what else it gets is not noted.
  local MAX_ADS = 100

  -- What a page view shows, for the requests of this call. Without a key: what one request shows.
  function pages.of(key)
    local page = key and call.pages[key]
    if not page then
      local packed = key and redis.call('GET', key)
      page = { shown = packed and cmsgpack.unpack(packed) or { ads = 0 } }
      if key then
        call.pages[key] = page
      end
    end
    return page
  end

  -- Writes the pages of this call that are not what they were.
  function pages.save()
    for key, page in pairs(call.pages) do
      if page.is_changed then
        redis.call('SET', key, cmsgpack.pack(page.shown), 'PX', PAGE_TTL_MS)
      end
    end
  end

  -- Why a candidate may not be shown, or nil.
  function pages.refusal(page, c)
    local shown = page.shown
    local is_bid = c.pod and c.pod[POD.IS_BID]
    if shown[c.creative] and not is_bid then
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

  local function has_room(page)
    local shown = page.shown
    if shown.ads >= MAX_ADS then
      return false
    end
    shown.ads, page.is_changed = shown.ads + 1, true
    return true
  end

  function pages.add(page, c)
    if not has_room(page) then
      return
    end
    local shown = page.shown
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

  -- Of a page that says which placements it asks for in all its requests: those that it has asked for, and the ads of
  -- roadblocks that are kept for the others.
  function pages.ask(page, placement)
    if not page.shown['asked ' .. placement] and has_room(page) then
      page.shown['asked ' .. placement] = true
    end
  end

  function pages.is_asked(page, placement)
    return page.shown['asked ' .. placement] or page.shown['kept ' .. placement] or page.shown.ads >= MAX_ADS
  end

  -- `moments`: '-3 token_end_s hold_end_ms day …', the answer for its impression.
  function pages.keep(page, placement, moments)
    page.shown['kept ' .. placement], page.is_changed = moments, true
  end

  -- The answer for an ad that is kept, as long as it is held: of an ad that holds nothing, as long as its token lives.
  function pages.kept(page, placement, now)
    local kept = page.shown['kept ' .. placement]
    if not kept then
      return nil
    end
    local token_end_s, hold_end = string.match(kept, '^%S+ (%d+) (%d+)')
    local ends = hold_end == '0' and token_end_s * 1000 or tonumber(hold_end)
    return ends > now and kept or nil
  end

  function pages.take_kept(page, placement, now)
    local kept = pages.kept(page, placement, now)
    if kept then
      page.shown['kept ' .. placement], page.is_changed = nil, true
    end
    return kept
  end
end
