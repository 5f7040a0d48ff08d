-- The places that one user takes under frequency caps at one publisher. A selection holds a place in each
-- counter that its ad counts for (../frequency-counters.ts), and the impression confirms it; a click takes one
-- in the counters of clicks. A place is its counter; when its ad was seen or clicked (ms), or, while it is
-- held, the end of the hold as a negative number; and for how long it is kept (s). Each cap looks back as far
-- as its own window. A held place ends as money does: when no hit can confirm it any more, with the margin and
-- the fold horizon of account_release.
--
-- They lie in one string and are searched there, because a request asks about few of them: as a packed
-- map of 120 line items they took more than half of the time of an impression. Those that have ended are removed
-- when there are twice as many places as were left the last time.
--
-- In a block, because a chunk of Lua has room for 200 local names.
-- @include holds.lua
local frequency_open, frequency_ends, frequency_count, frequency_refuses, frequency_hold, frequency_held_at, frequency_confirm
local frequency_release, frequency_save, frequency_is_turn
do
  -- When the key expires (ms), and with how many places those that have ended are removed.
  local FREQUENCY_HEAD_FORMAT = '<dI4xxxxx'
  local COUNTER_FORMAT, PLACE_FORMAT = '<I5', '<I5dI4'
  -- Of both.
  local PLACE_BYTES = 17
  -- A place without how long it is kept.
  local NAMED_BYTES = 13
  local MIN_CROWDED = 16
  -- Counters of clicks begin here (../frequency-counters.ts).
  local CLICKS_FROM = 12884901888

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

  local function frequency_record(counter, place, kept_s)
    return struct.pack(PLACE_FORMAT, counter, place, kept_s)
  end

  -- The first place from a position on that begins with these bytes, or nil.
  local function frequency_find(user, bytes, from)
    local at = string.find(user.packed, bytes, from, true)
    while at and (at - 1) % PLACE_BYTES ~= 0 do
      at = string.find(user.packed, bytes, at + 1, true)
    end
    return at
  end

  local function frequency_is_taken(user, place, kept_s)
    if place > 0 then
      return place + kept_s * 1000 > user.now
    end
    local freed = RELEASE_MARGIN_MS - place
    return freed > user.now or not user.horizon or freed > user.horizon()
  end

  local function frequency_remove(user, at)
    user.packed = string.sub(user.packed, 1, at - 1) .. string.sub(user.packed, at + PLACE_BYTES)
  end

  -- When each place of a counter is free again for a cap with this window (ms). Places that have ended are
  -- removed, so that a hit that comes late does not find its place when another ad has taken it.
  function frequency_ends(user, counter, window_ms)
    local bytes, ends = struct.pack(COUNTER_FORMAT, counter), {}
    local at = frequency_find(user, bytes, PLACE_BYTES + 1)
    while at do
      local _, place, kept_s = struct.unpack(PLACE_FORMAT, user.packed, at)
      if not frequency_is_taken(user, place, kept_s) then
        frequency_remove(user, at)
      else
        local free_at = place > 0 and place + math.min(window_ms, kept_s * 1000) or RELEASE_MARGIN_MS - place
        if place < 0 or free_at > user.now then
          ends[#ends + 1] = free_at
        end
        at = at + PLACE_BYTES
      end
      at = frequency_find(user, bytes, at)
    end
    return ends
  end

  function frequency_count(user, counter, window_ms)
    return #frequency_ends(user, counter, window_ms)
  end

  -- Whether so many ads together would be more than one of the caps allows the user. A cap that allows fewer allows them once;
  -- of clicks they are one more chance, however many. `caps`: for each its counter, how many it allows,
  -- and its window (ms).
  function frequency_refuses(user, caps, ads)
    for i = 1, #caps, 3 do
      local max = caps[i + 1]
      local more = caps[i] < CLICKS_FROM and math.min(ads, max) or 1
      if frequency_count(user, caps[i], caps[i + 2]) + more > max then
        return true
      end
    end
    return false
  end

  -- Whether the user is to see a step of a sequence. `turn`: the counter of its line item, how far back it is counted (ms),
  -- the step from 0, and how many there are. Of a user who is not known it is the first.
  function frequency_is_turn(user, turn)
    local seen = user and frequency_count(user, turn[1], turn[2]) or 0
    return seen % turn[4] == turn[3]
  end

  local function frequency_expiry(place, kept_s)
    return place > 0 and place + kept_s * 1000 or HELD_KEPT_MS - place
  end

  local function frequency_add(user, counter, place, kept_s)
    user.packed = user.packed .. frequency_record(counter, place, kept_s)
    user.expires_at, user.dirty = math.max(user.expires_at, frequency_expiry(place, kept_s)), true
  end

  -- `counted`: counters, each with how long its places are kept (s).
  function frequency_hold(user, counted, ends)
    for i = 1, #counted, 2 do
      frequency_add(user, counted[i], -ends, counted[i + 1])
    end
  end

  function frequency_held_at(user, counter, held_until)
    local named = string.sub(frequency_record(counter, -held_until, 0), 1, NAMED_BYTES)
    return frequency_find(user, named, PLACE_BYTES + 1)
  end

  -- Places of one counter with the same end are interchangeable, so the first of them is confirmed. A click has
  -- held none: `held_until` is nil.
  function frequency_confirm(user, counted, held_until, seen_at)
    for i = 1, #counted, 2 do
      local at = held_until and frequency_held_at(user, counted[i], held_until)
      if at then
        frequency_remove(user, at)
      end
      frequency_add(user, counted[i], seen_at, counted[i + 1])
    end
  end

  -- Frees the places that an ad holds in the counters.
  function frequency_release(user, counted, held_until)
    for i = 1, #counted, 2 do
      local at = frequency_held_at(user, counted[i], held_until)
      if at then
        frequency_remove(user, at)
        user.dirty = true
      end
    end
  end

  -- Removes the places that have ended.
  local function frequency_tidy(user)
    local kept, expires_at = {}, 0
    for at = PLACE_BYTES + 1, #user.packed, PLACE_BYTES do
      local _, place, kept_s = struct.unpack(PLACE_FORMAT, user.packed, at)
      if frequency_is_taken(user, place, kept_s) then
        kept[#kept + 1] = string.sub(user.packed, at, at + PLACE_BYTES - 1)
        expires_at = math.max(expires_at, frequency_expiry(place, kept_s))
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
