-- How many ads each client of a publisher holds that it has not rendered, and how many it rendered
-- lately. A client (ServedAd.client) may hold a part of what a line item has left, and more as it
-- renders: what a hold takes from others is earned. One hash per publisher and half hour: a field
-- for each client and each wide network, NEWCOMERS for all clients that have rendered nothing, and SHORT
-- for their short holds. A record is carried from one half hour to the next at half its value. The
-- figures: ../client-rule.ts (CLIENT_ constants) and docs/adr/0012.
-- @include call.lua
local clients_of, clients_note, clients_open, client_holds_many, client_max_hold, client_hold, client_render, client_return, clients_save
-- A script may have 200 locals, and this is one scope of them.
do
  -- What may be held without proof: a share of what is left, and at least and at most so many ads. A
  -- request has up to 20 impressions.
  local CLIENT_SHARE, CLIENT_MIN, CLIENT_MAX = 1 / 20, 20, 1000
  local NEWCOMERS_SHARE, NEWCOMERS_MIN, NEWCOMERS_MAX = 1 / 2, 200, 100000
  -- Half of what newcomers may hold is kept for those from wide networks that hold fewer ads than this.
  local FEW, KEPT_SHARE = 4, 1 / 2

  local NEWCOMERS, SHORT = '*', '!'
  -- Two numbers; of SHORT: how many short holds are open, and when they were counted (s of the half hour).
  local CLIENT_FORMAT = '<ff'

  -- The clients of a publisher in this call. Note each with clients_note before clients_open reads them.
  function clients_of(key)
    local of = call.clients[key] or { names = { NEWCOMERS, SHORT }, open = {}, wide_names = {} }
    call.clients[key] = of
    return of
  end

  local function note(of, name)
    if not of.open[name] then
      of.names[#of.names + 1] = name
      of.open[name] = { held = 0, rendered = 0 }
    end
  end

  -- The name of a client ends with that of its wide network, if it is known (WIDE_MARK of context/visitor-seal.ts).
  function clients_note(of, name)
    if name == '' or of.wide_names[name] ~= nil then
      return
    end
    local wide = string.match(name, '~.+$') or false
    of.wide_names[name] = wide
    note(of, name)
    if wide then
      note(of, wide)
    end
  end

  local function client_read(packed, part)
    local held, rendered = struct.unpack(CLIENT_FORMAT, packed)
    return { held = held * part, rendered = rendered * part }
  end

  -- Reads the records of the half hour, and those that are only in the one before. Returns the names of these.
  local function read(of, key, period)
    local missing = {}
    for i, packed in ipairs(redis.call('HMGET', of.key, unpack(of.names))) do
      local name = of.names[i]
      if packed then
        of.open[name] = client_read(packed, 1)
      else
        missing[#missing + 1] = name
      end
    end
    if #missing > 0 then
      for i, packed in ipairs(redis.call('HMGET', key .. ':' .. period - 1, unpack(missing))) do
        if packed then
          of.open[missing[i]] = client_read(packed, 0.5)
        end
      end
    end
    return missing
  end

  -- Short holds end: `short.held` of them, exponentially, in about their life.
  local function count_short(short, now, is_carried)
    local at = now % CLIENT_PERIOD_MS / 1000
    local passed = math.max(at - (is_carried and 0 or short.rendered), 0)
    short.held, short.rendered = short.held * math.exp(-passed * 1000 / CLIENT_SHORT_HOLD_MS), at
  end

  -- Reads the clients that were noted. Nothing without one.
  function clients_open(of, key, now)
    if of.key or not next(of.wide_names) then
      return
    end
    local period = math.floor(now / CLIENT_PERIOD_MS)
    of.key = key .. ':' .. period
    of.open[NEWCOMERS], of.open[SHORT] = { held = 0, rendered = 0 }, { held = 0, rendered = 0 }
    local missing = read(of, key, period)
    of.is_new = missing[1] == NEWCOMERS
    of.newcomers, of.short = of.open[NEWCOMERS], of.open[SHORT]
    count_short(of.short, now, missing[1] == SHORT or missing[2] == SHORT)
    for name, wide in pairs(of.wide_names) do
      of.open[name].wide = wide and of.open[wide]
    end
  end

  local function client_weight(life_ms)
    return math.min(math.max(life_ms / CLIENT_FULL_HOLD_MS, CLIENT_MIN_WEIGHT), 1)
  end

  local function client_is_new(client)
    return client.rendered < 1
  end

  local function client_bound(client, left, share, min, max)
    return math.min(math.max(left * share, min), max) + CLIENT_PROOF * client.rendered
  end

  -- Newcomers hold more ads than honest ones do: some of these render, and each of them adds CLIENT_PROOF, up to a share of
  -- what is left. Otherwise each visitor that renders would pay for nine that never will.
  local function newcomers_hold_many(of, left)
    local earned = NEWCOMERS_MIN + CLIENT_PROOF * of.newcomers.rendered
    return of.newcomers.held >= math.min(earned, math.max(left * NEWCOMERS_SHARE, NEWCOMERS_MIN))
  end

  -- Whether a client may hold more only of line items that have much left: the check that the others need not pass.
  function client_holds_many(of, client)
    return client.held >= CLIENT_MIN + CLIENT_PROOF * client.rendered or (client_is_new(client) and newcomers_hold_many(of, 0))
  end

  -- The longest hold of a newcomer while they hold many, or nil. A wide network is bounded as one client
  -- is, and where one of its clients has rendered, the others are trusted within that bound.
  local function newcomer_max_hold(of, wide, left)
    if wide and wide.held >= client_bound(wide, left, CLIENT_SHARE, CLIENT_MIN, CLIENT_MAX) then
      return nil
    elseif wide and not client_is_new(wide) then
      return math.huge
    end
    local share = wide and wide.held < FEW and NEWCOMERS_SHARE or NEWCOMERS_SHARE * KEPT_SHARE
    return of.short.held < math.min(math.max(left * share, NEWCOMERS_MIN), NEWCOMERS_MAX) and CLIENT_SHORT_HOLD_MS or nil
  end

  -- The longest hold (ms) that a client may have of one more ad of a line item that has `left` ads left; nil: none.
  function client_max_hold(of, client, left)
    if client.held >= client_bound(client, left, CLIENT_SHARE, CLIENT_MIN, CLIENT_MAX) then
      return nil
    elseif client_is_new(client) and newcomers_hold_many(of, left) then
      return newcomer_max_hold(of, client.wide, left)
    end
    return math.huge
  end

  -- A hold of `life_ms`, of which `asked_ms` were asked for and `earned_ms` allowed (client_max_hold). One that was made
  -- short weighs as much as if it were not.
  function client_hold(of, client, life_ms, asked_ms, earned_ms)
    local weight = client_weight(earned_ms < asked_ms and asked_ms or life_ms)
    client.held, client.dirty = client.held + weight, true
    if not client_is_new(client) then
      return
    end
    of.newcomers.held, of.newcomers.dirty = of.newcomers.held + weight, true
    if client.wide then
      client.wide.held, client.wide.dirty = client.wide.held + 1, true
    end
    if earned_ms < math.huge then
      of.short.held, of.short.dirty = of.short.held + 1, true
    end
  end

  -- The client has rendered an ad that it held. With its first it leaves the newcomers.
  function client_render(of, client, life_ms)
    if client_is_new(client) then
      of.newcomers.held = math.max(of.newcomers.held - client.held, 0)
      of.newcomers.rendered, of.newcomers.dirty = of.newcomers.rendered + 1, true
    end
    client.held = math.max(client.held - client_weight(life_ms), 0)
    client.rendered, client.dirty = client.rendered + 1, true
    if client.wide then
      client.wide.held = math.max(client.wide.held - 1, 0)
      client.wide.rendered, client.wide.dirty = client.wide.rendered + 1, true
    end
  end

  -- The client gives an ad back: it holds one less, and has rendered none more.
  function client_return(of, client, life_ms)
    local weight = client_weight(life_ms)
    if client_is_new(client) then
      of.newcomers.held, of.newcomers.dirty = math.max(of.newcomers.held - weight, 0), true
    end
    client.held, client.dirty = math.max(client.held - weight, 0), true
    if client.wide then
      client.wide.held, client.wide.dirty = math.max(client.wide.held - 1, 0), true
    end
  end

  function clients_save()
    for _, of in pairs(call.clients) do
      local fields = {}
      for name, client in pairs(of.open) do
        if client.dirty or (of.is_new and name == NEWCOMERS) then
          fields[#fields + 1] = name
          fields[#fields + 1] = struct.pack(CLIENT_FORMAT, client.held, client.rendered)
        end
      end
      if #fields > (of.is_new and 2 or 0) then
        redis.call('HSET', of.key, unpack(fields))
        if of.is_new then
          redis.call('PEXPIRE', of.key, 2 * CLIENT_PERIOD_MS)
        end
      end
    end
  end
end
