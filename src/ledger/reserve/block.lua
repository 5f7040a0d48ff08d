-- The ads of a roadblock: all of them are held, or none. The candidate in the first of its impressions names the others
-- (`block` of encode-candidate.ts): those in other impressions of the request are bound to it, and those on placements that
-- the page asks for later are kept in its page view. They exclude others, and not each other. In TypeScript, for one answer:
-- ../allowances/decide-locally.ts.
-- @include take.lua
local block = {}
do
  local IMP, CREATIVE, TALLY, PLACEMENT = 1, 2, 3, 4
  -- In place of the position of a winner.
  local BOUND, KEPT = '-2 ', '-3 '
  local NONE = {}

  local function ad_of(c, ad)
    return setmetatable({ creative = ad[CREATIVE], tally = ad[TALLY] }, { __index = c })
  end

  -- Whether an impression of the request, or a placement of its page, is not free for it.
  local function is_gone(request, ad)
    if ad[IMP] == 0 then
      return pages.is_asked(request.page, ad[PLACEMENT])
    end
    local placement = request.placements and request.placements[ad[IMP]]
    return request.bound[ad[IMP]] or placement and pages.kept(request.page, placement, request.book.now)
  end

  -- Why a candidate may not be shown with what the page has so far, or nil.
  function block.refusal(request, c)
    local reason = pages.refusal(request.page, c)
    if not c.block then
      return reason
    end
    for _, ad in ipairs(c.block) do
      if is_gone(request, ad) then
        return NBR.ROADBLOCK_INCOMPLETE
      end
      reason = reason or pages.refusal(request.page, ad_of(c, ad))
    end
    return reason
  end

  -- Takes a candidate with its block by take_one(candidate, request, …). Returns the first's moments and lots as text.
  function block.take(c, request, take_one, ...)
    local taken = take_one(c, request, ...)
    for _, ad in ipairs(c.block or NONE) do
      local moments = string.match(take_one(ad_of(c, ad), request, ...), '^%S+ %S+ %S+')
      if ad[IMP] > 0 then
        request.bound[ad[IMP]] = BOUND .. moments
      else
        pages.keep(request.page, ad[PLACEMENT], string.format('%s%s %d %.0f', KEPT, moments, ad[CREATIVE], c.price_micros))
      end
    end
    return taken
  end

  -- Notes that the page asks for an impression.
  function block.note(request, imp)
    local placement = request.placements and request.placements[imp]
    if placement then
      pages.ask(request.page, placement)
    end
  end

  -- The answer for an impression that a block has; nil: none has.
  function block.ad_at(request, imp)
    local placement = request.placements and request.placements[imp]
    return request.bound[imp] or placement and pages.take_kept(request.page, placement, request.book.now)
  end
end
