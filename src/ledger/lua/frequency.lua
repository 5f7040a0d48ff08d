-- The places that one user takes under frequency caps at one publisher: of each, the line item and
-- its end (ms). A selection holds a place, written as a negative end; the impression confirms it, to
-- the end of the sliding window. Confirmed places end by time. A held place ends as money does: when
-- no hit can confirm it any more, with the margin and the fold horizon of account_release. Include
-- after call.lua and holds.lua.
--
-- They lie in one string and are searched there, because a request asks about few of them: as a packed
-- map of 120 line items they took more than half of the time of an impression. Those that have ended are removed
-- when there are twice as many places as were left the last time.
--
-- In a block, because a chunk of Lua has room for 200 local names.
local frequency_open, frequency_places, frequency_count, frequency_hold, frequency_held_at, frequency_confirm, frequency_release, frequency_save
do
  -- When the key expires (ms), and with how many places those that have ended are removed.
  local FREQUENCY_HEAD_FORMAT = '<dI4'
  local ID_FORMAT, PLACE_FORMAT = '<I4', '<I4d'
  -- Of both.
  local PLACE_BYTES = 12
  local MIN_CROWDED = 16

  -- A key with held places is kept for this long after the end of its holds, in case that the fold
  -- horizon has not passed them by then. Longer would let a stranger fill Redis: one user takes about
  -- 300 bytes, and asking is free.
  local HELD_KEPT_MS = 3600000

  -- The user of a key, with the time and the fold horizon of the publisher. Without `horizon` every held
  -- place is taken.
  function frequency_open(key, now, horizon)
    local user = call.users[key]
    if user then
      return user
    end
    local packed = redis.call('GET', key) or struct.pack(FREQUENCY_HEAD_FORMAT, 0, MIN_CROWDED)
    if #packed % PLACE_BYTES ~= 0 then
      error('the frequency places of a user cannot be read')
    end
    user = { packed = packed, now = now, horizon = horizon, dirty = false }
    user.expires_at, user.crowded = struct.unpack(FREQUENCY_HEAD_FORMAT, packed)
    call.users[key] = user
    return user
  end

  -- Of a line item with the field 'l<id>' in the accounts.
  local function frequency_record(line_item, place)
    return struct.pack(PLACE_FORMAT, string.sub(line_item, 2), place)
  end

  -- The first place from a position on that begins with these bytes, or nil.
  local function frequency_find(user, bytes, from)
    local at = string.find(user.packed, bytes, from, true)
    while at and (at - 1) % PLACE_BYTES ~= 0 do
      at = string.find(user.packed, bytes, at + 1, true)
    end
    return at
  end

  local function frequency_is_taken(user, place)
    if place > 0 then
      return place > user.now
    end
    local freed = RELEASE_MARGIN_MS - place
    return freed > user.now or not user.horizon or freed > user.horizon()
  end

  local function frequency_remove(user, at)
    user.packed = string.sub(user.packed, 1, at - 1) .. string.sub(user.packed, at + PLACE_BYTES)
  end

  -- The places of one line item that are still taken. The others are removed, so that a hit that comes
  -- late does not find its place when another ad has taken it.
  function frequency_places(user, line_item)
    local bytes, taken = struct.pack(ID_FORMAT, string.sub(line_item, 2)), {}
    local at = frequency_find(user, bytes, PLACE_BYTES + 1)
    while at do
      local _, place = struct.unpack(PLACE_FORMAT, user.packed, at)
      if frequency_is_taken(user, place) then
        taken[#taken + 1] = place
        at = at + PLACE_BYTES
      else
        frequency_remove(user, at)
      end
      at = frequency_find(user, bytes, at)
    end
    return taken
  end

  function frequency_count(user, line_item)
    return #frequency_places(user, line_item)
  end

  local function frequency_expiry(place)
    return place > 0 and place or HELD_KEPT_MS - place
  end

  local function frequency_add(user, line_item, place)
    user.packed = user.packed .. frequency_record(line_item, place)
    user.expires_at, user.dirty = math.max(user.expires_at, frequency_expiry(place)), true
  end

  function frequency_hold(user, line_item, ends)
    frequency_add(user, line_item, -ends)
  end

  function frequency_held_at(user, line_item, held_until)
    return frequency_find(user, frequency_record(line_item, -held_until), PLACE_BYTES + 1)
  end

  -- Places of one line item with the same end are interchangeable, so the first of them is confirmed.
  function frequency_confirm(user, line_item, held_until, window_end)
    local at = frequency_held_at(user, line_item, held_until)
    if at then
      frequency_remove(user, at)
    end
    frequency_add(user, line_item, window_end)
  end

  -- Frees a held place.
  function frequency_release(user, line_item, held_until)
    local at = frequency_held_at(user, line_item, held_until)
    if at then
      frequency_remove(user, at)
      user.dirty = true
    end
  end

  -- Removes the places that have ended.
  local function frequency_tidy(user)
    local kept, expires_at = {}, 0
    for at = PLACE_BYTES + 1, #user.packed, PLACE_BYTES do
      local _, place = struct.unpack(PLACE_FORMAT, user.packed, at)
      if frequency_is_taken(user, place) then
        kept[#kept + 1] = string.sub(user.packed, at, at + PLACE_BYTES - 1)
        expires_at = math.max(expires_at, frequency_expiry(place))
      end
    end
    user.packed = string.sub(user.packed, 1, PLACE_BYTES) .. table.concat(kept)
    user.expires_at, user.crowded = expires_at, math.max(2 * #kept, MIN_CROWDED)
  end

  -- Writes the places of all users of this call that changed.
  function frequency_save()
    for key, user in pairs(call.users) do
      if user.dirty then
        if #user.packed > user.crowded * PLACE_BYTES then
          frequency_tidy(user)
        end
        local head = struct.pack(FREQUENCY_HEAD_FORMAT, user.expires_at, user.crowded)
        local left_ms = user.expires_at - user.now
        if left_ms > 0 then
          redis.call('SET', key, head .. string.sub(user.packed, PLACE_BYTES + 1), 'PX', string.format('%.0f', left_ms))
        else
          redis.call('DEL', key)
        end
      end
    end
  end
end
