-- Takes a candidate of a request: holds the ad in the accounts, with the lots that its replica wants, and counts the serve.
-- @include ../lua/lots.lua
-- @include ../lua/page.lua
-- @include ../lua/pod.lua
-- @include ../lua/tally.lua
-- @include ../lua/clients.lua
local take, take_uncounted
do
  -- Reservations that end in the same bucket share a hold. A life is divided into at most this many
  -- buckets; their lengths are powers of two, so that the buckets of different lives coincide and an
  -- account stays small whatever the lives of its tokens are.
  local BUCKETS_PER_LIFE = 32

  -- When a candidate's hold ends (ms), and as text when its token (s) and its hold end. A hold is as
  -- short as its use: the life of a token, never longer than the frequency window in which it takes a
  -- place, and never longer than its request needs it; with a lot, as much longer as the lot may be
  -- handed out. A token whose hold ends first is good for clicks and events until its own end.
  local function moments_of(c, now, max_hold_ms, has_lot)
    local token_ttl_ms = call.settings.token_ttl_ms
    local life = c.window_ms >= 0 and math.min(token_ttl_ms, c.window_ms) or token_ttl_ms
    local held = math.min(life, max_hold_ms)
    if has_lot then
      held = held + lots_life(held)
    end
    local by_life = call.moments[now] or {}
    call.moments[now] = by_life
    local key = held == life and life or life .. ':' .. held
    local moments = by_life[key]
    if not moments then
      local token_exp = math.ceil((now + life) / 1000)
      local bucket = 1
      while bucket * BUCKETS_PER_LIFE < held do
        bucket = bucket * 2
      end
      local hold_end = math.ceil(math.ceil((now + held) / 1000) * 1000 / bucket) * bucket
      moments = { hold_end_ms = hold_end, text = string.format('%d %.0f ', token_exp, hold_end) }
      by_life[key] = moments
    end
    return moments
  end

  -- Holds the ad that is reserved, and the lots with it, in the accounts. Returns the moments as text and when the hold
  -- ends (ms).
  local function hold_with_lots(c, request, a, campaign, lot, spare, max_hold_ms)
    local book, count = request.book, 1 + lot + spare
    local moments = moments_of(c, book.now, max_hold_ms, count > 1)
    -- A click or a viewable event bills when it comes; until then its impression holds a place, and no
    -- money. Of a video that bills when it is complete the money is held.
    local micros = c.holds_price and c.price_micros * count or 0
    account_hold(a, moments.hold_end_ms, a[DAY], count, micros)
    account_hold(campaign, moments.hold_end_ms, a[DAY], count, micros)
    if pacing_applies(c) then
      pacing_take(a, campaign, c, 1 + lot)
    end
    return moments.text, moments.hold_end_ms
  end

  -- Counts the winner: the serve, the holds, and the use of its limits. `wanted` are the lot and the
  -- spare, `earned_ms` the longest hold that its client may have. Returns its moments and lots as text.
  function take(c, request, a, campaign, wanted, permits, earned_ms)
    local book, day = request.book, a[DAY]
    local lot, spare = 0, 0
    if wanted then
      lot, spare = lots_grant(wanted.lot, wanted.spare, a, campaign, c, book.now, permits - 1)
    end
    a[SERVES] = a[SERVES] + 1
    campaign[SERVES] = campaign[SERVES] + 1
    local asked_ms = request.head.max_hold_ms > 0 and request.head.max_hold_ms or call.settings.token_ttl_ms
    local moments, hold_end = hold_with_lots(c, request, a, campaign, lot, spare, math.min(asked_ms, earned_ms))
    if c.rate_per_second >= 0 then
      a[RATE_TOKENS], a[RATE_AT] = math.max(limits_rate_tokens(a, c, book.now) - 1, 0), book.now
    end
    if c.counted and request.user then
      frequency_hold(request.user, c.counted, hold_end)
    end
    if request.client and limits_apply(c) then
      client_hold(request.clients, request.client, hold_end - book.now, asked_ms, earned_ms)
    end
    book.dirty[c.line_item], book.dirty[c.campaign] = true, true
    pages.add(request.page, c)
    pods.add(request, c)
    tally_add_serves(request.serves, day, c.tally, 1)
    local lots = lot + spare > 0 and string.format(' %d %d %.0f', lot, spare, book.now) or ' 0 0 0'
    return moments .. day .. lots
  end

  -- Shows a candidate without limits whose accounts may not be used: nothing is held, and its impression counts later.
  function take_uncounted(c, request)
    local now = request.book.now
    pages.add(request.page, c)
    pods.add(request, c)
    return string.format('%d 0 %d 0 0 0', math.ceil((now + call.settings.token_ttl_ms) / 1000), day_of(request.book.days, now))
  end
end
