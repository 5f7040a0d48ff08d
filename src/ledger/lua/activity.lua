-- What visitors, networks and creatives do over time, by the bounds of ../settle/activity-rule.ts (table ACTIVITY).
-- tracking/invalid-traffic/activity.ts is the same for stored days; tests/ledger/activity.test.ts compares the two.
--
-- Impressions are counted for each user and each network, in counters of fixed number by shard and day. Everything else
-- is kept only of those that click: a record each, which expires.
-- @include events.lua
-- @include day.lua
local activity_count, activity_uncount, activity_impression, activity_click, activity_judge
do
  local COUNTERS_TTL_S = 172800
  local UNKNOWN = ('%d'):format(ACTIVITY_UNKNOWN_AT)
  local WINDOWS = { 60000, 3600000, MS_PER_DAY }
  local MOST = { ACTIVITY.CLICKS_A_MINUTE, ACTIVITY.CLICKS_AN_HOUR, ACTIVITY.CLICKS_A_DAY }

  local function counters_key(events)
    return events .. ':shown:' .. math.floor(call.clock / MS_PER_DAY)
  end

  -- Counts the impressions among the hits before they are settled, with one command for each shard. `events_of` is the
  -- stream of a hit.
  function activity_count(hits, events_of)
    local by_events = {}
    call.user_shown, call.network_shown, call.is_shown = {}, {}, {}
    for i, h in ipairs(hits) do
      local user_at, network_at = h.user_at, h.network_at
      if h.action == 'impression' and h.restored == '' and (user_at ~= UNKNOWN or network_at ~= UNKNOWN) then
        local events = events_of(h)
        local of = by_events[events]
        if not of then
          -- The first counter says whether there are any.
          of = { hits = {}, command = { 'BITFIELD', counters_key(events), 'OVERFLOW', 'SAT', 'SET', 'u16', '0', '1' } }
          by_events[events] = of
        end
        local command, last = of.command, #of.command
        command[last + 1], command[last + 2], command[last + 3], command[last + 4] = 'INCRBY', 'u16', user_at, '1'
        command[last + 5], command[last + 6], command[last + 7], command[last + 8] = 'INCRBY', 'u16', network_at, '1'
        of.hits[#of.hits + 1] = i
      end
    end
    for _, of in pairs(by_events) do
      local counts = redis.call(unpack(of.command))
      if counts[1] == 0 then
        redis.call('EXPIRE', of.command[2], COUNTERS_TTL_S)
      end
      for n, i in ipairs(of.hits) do
        call.user_shown[i] = hits[i].user_at ~= UNKNOWN and counts[2 * n] or 0
        call.network_shown[i] = hits[i].network_at ~= UNKNOWN and counts[2 * n + 1] or 0
      end
    end
  end

  -- Takes out what was counted for hits that turned out not to count: repeated ones, and those that came too late.
  function activity_uncount(hits, events_of)
    for i in pairs(call.user_shown) do
      if not call.is_shown[i] then
        redis.call('BITFIELD', counters_key(events_of(hits[i])), 'OVERFLOW', 'SAT',
          'INCRBY', 'u16', hits[i].user_at, '-1', 'INCRBY', 'u16', hits[i].network_at, '-1')
      end
    end
  end

  -- Whether the impression of this number is one of more than a person sees. An id that is used in many networks is not one user's.
  function activity_impression(i)
    local shown = call.user_shown[i]
    return shown ~= nil and shown > ACTIVITY.IMPRESSIONS_A_DAY and 2 * call.network_shown[i] >= shown
  end

  local function shown_at(events, at)
    return at ~= UNKNOWN and redis.call('BITFIELD', counters_key(events), 'GET', 'u16', at)[1] or 0
  end

  -- By the clock of the call, which a simulation sets.
  local function read(events, name)
    local packed = redis.call('GET', events .. ':activity:' .. name)
    local record = packed and cmsgpack.unpack(packed)
    return record and call.clock - record.written < ACTIVITY.MEMORY_MS and record or nil
  end

  local function write(events, name, record)
    record.written = call.clock
    redis.call('SET', events .. ':activity:' .. name, cmsgpack.pack(record), 'PX', ACTIVITY.MEMORY_MS)
  end

  -- What clicks: `clicks` and `shown` are those of the day; `windows` and `counts` the current minute, hour and day, and
  -- the clicks in each; `times` those of the last clicks.
  local function visitor_new()
    return { day = 0, clicks = 0, shown = 0, before_clicks = 0, before_shown = 0, windows = { 0, 0, 0 }, counts = { 0, 0, 0 },
      times = {}, barred = 0 }
  end

  local function visitor_share(v, shown)
    local clicks = v.before_clicks + v.clicks
    return clicks / math.max(v.before_shown + math.max(v.shown, shown), clicks), clicks
  end

  local function is_regular(times)
    if #times <= ACTIVITY.INTERVALS then
      return false
    end
    local shortest, longest = math.huge, 0
    for i = 2, #times do
      local interval = times[i] - times[i - 1]
      shortest, longest = math.min(shortest, interval), math.max(longest, interval)
    end
    return longest - shortest <= ACTIVITY.INTERVAL_SPREAD * longest
  end

  -- Counts a click of a visitor (a user, or a browser in a network) or of a network. Returns whether no person makes it.
  local function visitor_click(v, at, shown, is_user, every_clicks)
    local times = v.times
    at = math.max(at, times[#times] or 0)
    local day = math.floor(at / MS_PER_DAY)
    if day > v.day then
      v.before_clicks, v.before_shown = v.before_clicks + v.clicks, v.before_shown + v.shown
      if v.before_clicks > ACTIVITY.MAX_HISTORY_CLICKS then
        v.before_clicks, v.before_shown = v.before_clicks / 2, v.before_shown / 2
      end
      v.day, v.clicks, v.shown = day, 0, 0
    end
    v.clicks, v.shown = v.clicks + 1, math.max(v.shown, shown)
    times[#times + 1] = at
    if #times > ACTIVITY.INTERVALS + 1 then
      table.remove(times, 1)
    end
    local share, clicks = visitor_share(v, 0)
    local is_busy = false
    for i, length in ipairs(WINDOWS) do
      local window = math.floor(at / length)
      v.counts[i] = (v.windows[i] == window and v.counts[i] or 0) + 1
      v.windows[i] = window
      is_busy = is_busy or v.counts[i] > MOST[i]
    end
    if is_user and ((is_busy and share >= ACTIVITY.BUSY_SHARE) or is_regular(times)) then
      v.barred = at + ACTIVITY.MEMORY_MS
    end
    return v.barred > at or (clicks >= every_clicks and share >= ACTIVITY.EVERY_SHARE)
  end

  -- A creative or a network: impressions and clicks of the current window, and those before. `seen` of `day` is how many
  -- impressions the day had at the last click. `odd_from` and `odd_to`: the windows far above its history.
  local function group_new(at)
    return { day = 0, seen = 0, last = at, window = math.floor(at / ACTIVITY.WINDOW_MS), clicks = 0, counted = 0, shown = 0,
      past_clicks = 0, past_shown = 0, odd_from = -1, odd_to = -1, suspect = 0 }
  end

  -- Counts a click on `day`, of which `shown` are the impressions. Returns whether it is provisional.
  local function group_click(g, at, shown, day)
    at = math.max(at, g.last)
    local window = math.floor(at / ACTIVITY.WINDOW_MS)
    local since = day == g.day and math.max(shown - g.seen, 0) or shown
    g.day, g.seen = day, shown
    if window > g.window then
      -- Of the impressions since the last click, those of before this window, as if they were spread evenly.
      local part = (at - window * ACTIVITY.WINDOW_MS) / math.max(at - g.last, 1)
      g.past_clicks, g.past_shown = g.past_clicks + g.counted, g.past_shown + g.shown + since * (1 - part)
      if g.past_shown > ACTIVITY.MAX_HISTORY_IMPRESSIONS then
        g.past_clicks, g.past_shown = g.past_clicks / 2, g.past_shown / 2
      end
      g.window, g.clicks, g.counted, g.shown = window, 0, 0, since * part
    else
      g.shown = g.shown + since
    end
    g.last, g.clicks = at, g.clicks + 1
    if g.past_shown >= ACTIVITY.HISTORY_IMPRESSIONS
      and g.clicks > ACTIVITY.EXCESS_CLICKS + ACTIVITY.EXCESS * (g.past_clicks + 1) / g.past_shown * g.shown then
      g.odd_from = g.odd_to == window - 1 and g.odd_from or g.odd_to == window and g.odd_from or window
      g.odd_to, g.suspect = window, at + ACTIVITY.SUSPECT_MS
    end
    return g.suspect > at
  end

  local function creative_name(h)
    return 'c' .. h.tally
  end

  -- Of a creative on a day of its publisher.
  local function creative_shown(h, serves, day)
    return tonumber(redis.call('HGET', serves, day .. ':' .. h.tally) or '0')
  end

  -- Judges a click whose impression has counted: '', 'activity' or 'provisional'; and whether it is another one of its
  -- visitor on this day, from which nothing is learned. `days`: those of the publisher (day.lua).
  function activity_click(h, at, events, serves, days)
    local verdict, is_repeat = '', false
    local is_odd = false
    if h.visitor ~= '' then
      local v, is_user = read(events, h.visitor) or visitor_new(), h.user_at ~= UNKNOWN
      -- Of a browser in a network only the day's first click is of interest: its network is judged below.
      if visitor_click(v, at, shown_at(events, h.user_at), is_user, ACTIVITY.EVERY_CLICKS) and is_user then
        verdict = 'activity'
      end
      is_repeat = v.clicks > 1
      write(events, h.visitor, v)
    end
    local network
    if h.network ~= '' then
      network = read(events, h.network) or { visitor = visitor_new(), group = group_new(at) }
      local shown = shown_at(events, h.network_at)
      if visitor_click(network.visitor, at, shown, false, ACTIVITY.EVERY_CLICKS_OF_NETWORK) then
        verdict = 'activity'
      end
      -- What is filtered already makes nothing suspect.
      is_odd = verdict == '' and group_click(network.group, at, shown, math.floor(math.max(at, network.group.last) / MS_PER_DAY))
    end
    if verdict == '' then
      local creative = read(events, creative_name(h)) or group_new(at)
      is_odd = group_click(creative, at, creative_shown(h, serves, day_of(days, call.clock)), day_of(days, math.max(at, creative.last))) or is_odd
      if is_odd then
        verdict = 'provisional'
      else
        creative.counted = creative.counted + 1
        if network then
          network.group.counted = network.group.counted + 1
        end
      end
      write(events, creative_name(h), creative)
    end
    if network then
      write(events, h.network, network)
    end
    return verdict, is_repeat
  end

  -- Judges a provisional click again: '' or 'activity'. What is far above its history, and whose user, or else network, has
  -- hardly seen an ad that was not clicked, is no person's.
  function activity_judge(h, at, events)
    local window = math.floor(at / ACTIVITY.WINDOW_MS)
    local function is_odd(g)
      return g and g.odd_from <= window and window <= g.odd_to
    end
    local creative, network = read(events, creative_name(h)), h.network ~= '' and read(events, h.network) or nil
    local is_user = h.user_at ~= UNKNOWN
    local v = is_user and read(events, h.visitor) or not is_user and network and network.visitor
    local is_filtered = v and (v.barred > at or ((is_odd(creative) or is_odd(network and network.group))
      and visitor_share(v, v.day == math.floor(call.clock / MS_PER_DAY) and shown_at(events, is_user and h.user_at or h.network_at) or 0)
        >= ACTIVITY.EVERY_SHARE))
    if is_filtered then
      return 'activity'
    end
    if creative then
      creative.past_clicks = creative.past_clicks + 1
      write(events, creative_name(h), creative)
    end
    if network then
      network.group.past_clicks = network.group.past_clicks + 1
      write(events, h.network, network)
    end
    return ''
  end
end
