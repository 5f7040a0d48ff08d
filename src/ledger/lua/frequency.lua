-- The places that one user takes under frequency caps at one publisher: a packed map from line item
-- to the ends (ms) of its places. A selection holds a place, written as a negative end; the
-- impression confirms it, to the end of the sliding window. Confirmed places end by time. A held
-- place ends as money does: when no hit can confirm it any more, with the margin and the fold
-- horizon of account_release. Include after holds.lua.

-- A key with held places is kept for this long after the end of its holds, in case that the fold
-- horizon has not passed them by then. Longer would let a stranger fill Redis: one user takes about
-- 300 bytes, and asking is free.
local HELD_KEPT_MS = 3600000

local function frequency_open(key)
  local packed = redis.call('GET', key)
  return { key = key, items = packed and cmsgpack.unpack(packed) or {}, dirty = false }
end

local function frequency_is_taken(place, now, horizon)
  if place > 0 then
    return place > now
  end
  local freed = RELEASE_MARGIN_MS - place
  return freed > now or not horizon or freed > horizon()
end

-- The places of one line item that are still taken. Without `horizon` every held place is.
local function frequency_places(user, line_item, now, horizon)
  local taken = {}
  for _, place in ipairs(user.items[line_item] or {}) do
    if frequency_is_taken(place, now, horizon) then
      taken[#taken + 1] = place
    end
  end
  return taken
end

local function frequency_count(user, line_item, now, horizon)
  return #frequency_places(user, line_item, now, horizon)
end

local function frequency_add(user, line_item, place)
  local places = user.items[line_item] or {}
  places[#places + 1] = place
  user.items[line_item], user.dirty = places, true
end

local function frequency_hold(user, line_item, ends)
  frequency_add(user, line_item, -ends)
end

-- Places of one line item with the same end are interchangeable, so the first of them is confirmed.
local function frequency_confirm(user, line_item, held_until, window_end)
  for i, place in ipairs(user.items[line_item] or {}) do
    if place == -held_until then
      user.items[line_item][i], user.dirty = window_end, true
      return
    end
  end
  frequency_add(user, line_item, window_end)
end

-- Writes the places of a user when they changed, without those that have ended.
local function frequency_save(user, now, horizon)
  if not user.dirty then
    return
  end
  local last, kept = now, {}
  for line_item in pairs(user.items) do
    local places = frequency_places(user, line_item, now, horizon)
    for _, place in ipairs(places) do
      kept[line_item] = places
      last = math.max(last, place > 0 and place or HELD_KEPT_MS - place)
    end
  end
  if last > now then
    redis.call('SET', user.key, cmsgpack.pack(kept), 'PX', string.format('%.0f', last - now))
  else
    redis.call('DEL', user.key)
  end
end
