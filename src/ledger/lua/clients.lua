-- How many ads each client of a publisher holds that it has not rendered, and how many it rendered
-- lately. A client (ServedAd.client) may hold a part of what a line item has left, and more as it
-- renders: what a hold takes from others is earned. One hash per publisher and half hour: a field
-- for each client, and NEWCOMERS for all that have rendered nothing. A record is carried from one
-- half hour to the next at half its value. The figures: ../client-rule.ts (CLIENT_ constants) and
-- docs/adr/0012. Include after call.lua.

-- What may be held without proof: a share of what is left, and at least and at most so many ads. A
-- request has up to 20 impressions.
local CLIENT_SHARE, CLIENT_MIN, CLIENT_MAX = 1 / 20, 20, 1000
local NEWCOMERS_SHARE, NEWCOMERS_MIN, NEWCOMERS_MAX = 1 / 2, 200, 100000

local NEWCOMERS = '*'
local CLIENT_FORMAT = '<ff'

-- The clients of a publisher in this call. Note each with clients_note before clients_open reads them.
local function clients_of(key)
  local of = call.clients[key] or { names = { NEWCOMERS }, open = {} }
  call.clients[key] = of
  return of
end

local function clients_note(of, name)
  if name ~= '' and not of.open[name] then
    of.names[#of.names + 1] = name
    of.open[name] = { held = 0, rendered = 0 }
  end
end

local function client_read(packed, part)
  local held, rendered = struct.unpack(CLIENT_FORMAT, packed)
  return { held = held * part, rendered = rendered * part }
end

-- Reads the clients that were noted. Nothing without one.
local function clients_open(of, key, now)
  if of.key or #of.names == 1 then
    return
  end
  local period = math.floor(now / CLIENT_PERIOD_MS)
  of.key = key .. ':' .. period
  of.newcomers = { held = 0, rendered = 0 }
  of.open[NEWCOMERS] = of.newcomers
  local missing = {}
  for i, packed in ipairs(redis.call('HMGET', of.key, unpack(of.names))) do
    local name = of.names[i]
    if packed then
      of.open[name] = client_read(packed, 1)
    else
      missing[#missing + 1] = name
    end
  end
  of.is_new = missing[1] == NEWCOMERS
  if #missing > 0 then
    for i, packed in ipairs(redis.call('HMGET', key .. ':' .. period - 1, unpack(missing))) do
      if packed then
        of.open[missing[i]] = client_read(packed, 0.5)
      end
    end
  end
  of.newcomers = of.open[NEWCOMERS]
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

-- Whether a client may hold more only of line items that have much left: the check that the others need not pass.
local function client_holds_many(of, client)
  return client.held >= CLIENT_MIN + CLIENT_PROOF * client.rendered
    or (client_is_new(client) and of.newcomers.held >= NEWCOMERS_MIN + CLIENT_PROOF * of.newcomers.rendered)
end

-- Whether a client may hold one more ad of a line item that has `left` ads left.
local function client_may_hold(of, client, left)
  return client.held < client_bound(client, left, CLIENT_SHARE, CLIENT_MIN, CLIENT_MAX)
    and not (client_is_new(client)
      and of.newcomers.held >= client_bound(of.newcomers, left, NEWCOMERS_SHARE, NEWCOMERS_MIN, NEWCOMERS_MAX))
end

local function client_hold(of, client, life_ms)
  local weight = client_weight(life_ms)
  client.held, client.dirty = client.held + weight, true
  if client_is_new(client) then
    of.newcomers.held, of.newcomers.dirty = of.newcomers.held + weight, true
  end
end

-- The client has rendered an ad that it held. With its first it leaves the newcomers.
local function client_render(of, client, life_ms)
  if client_is_new(client) then
    of.newcomers.held = math.max(of.newcomers.held - client.held, 0)
    of.newcomers.rendered, of.newcomers.dirty = of.newcomers.rendered + 1, true
  end
  client.held = math.max(client.held - client_weight(life_ms), 0)
  client.rendered, client.dirty = client.rendered + 1, true
end

local function clients_save()
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
