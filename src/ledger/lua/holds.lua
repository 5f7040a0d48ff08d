-- The holds of an account: added, taken out and released.
-- @include account-checks.lua
-- @include call.lua
local account_release, account_hold, account_unhold
-- A script may have 200 locals, and this is one scope of them.
do
  -- Adds reservations to the HELD_ sums; negative numbers take them out.
  local function account_add_held(a, day, count, micros)
    if day == a[DAY] then
      a[HELD_COUNT] = a[HELD_COUNT] + count
      a[HELD_MICROS] = a[HELD_MICROS] + micros
    end
    a[HELD_TOTAL] = a[HELD_TOTAL] + micros
  end

  -- Replaces the bytes [from, to) of the older holds and adds to their sums.
  local function account_splice_older(a, from, to, bytes, count, micros)
    a[OLDER_HOLDS] = string.sub(a[OLDER_HOLDS], 1, from - 1) .. bytes .. string.sub(a[OLDER_HOLDS], to)
    a[OLDER_COUNT], a[OLDER_MICROS] = a[OLDER_COUNT] + count, a[OLDER_MICROS] + micros
  end

  -- Whether there is a latest hold: of ads, or of the money of videos whose impressions have settled and that are not
  -- complete.
  local function hold_is_open(a)
    return a[HOLD_COUNT] > 0 or a[HOLD_MICROS] > 0
  end

  -- The end of the hold that ends first; math.huge without holds.
  local function account_first_end(a)
    if a[OLDER_HOLDS] ~= '' then
      return (struct.unpack('>I6', a[OLDER_HOLDS]))
    end
    return hold_is_open(a) and a[HOLD_END] or math.huge
  end

  -- Drops holds that can no longer be settled. Calls `horizon` only when a hold has ended.
  function account_release(a, now, horizon)
    if account_first_end(a) + RELEASE_MARGIN_MS > now then
      return
    end
    local function is_over(ends)
      return ends + RELEASE_MARGIN_MS <= now and ends + RELEASE_MARGIN_MS <= horizon()
    end
    local function drop(day, count, micros)
      account_add_held(a, day, -count, -micros)
      if day == a[DAY] then
        -- Today's permits, which pacing gives back.
        call.released[a] = (call.released[a] or 0) + count
        call.released_micros[a] = (call.released_micros[a] or 0) + micros
      end
    end
    local at, all_count, all_micros = 1, 0, 0
    while at < #a[OLDER_HOLDS] do
      local ends, day, count, micros = struct.unpack(HOLD_FORMAT, a[OLDER_HOLDS], at)
      if not is_over(ends) then
        break
      end
      drop(day, count, micros)
      at, all_count, all_micros = at + HOLD_BYTES, all_count + count, all_micros + micros
    end
    local changed = at > 1
    if changed then
      account_splice_older(a, 1, at, '', -all_count, -all_micros)
    end
    if a[OLDER_HOLDS] == '' and hold_is_open(a) and is_over(a[HOLD_END]) then
      drop(a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS])
      a[HOLD_COUNT], a[HOLD_MICROS] = 0, 0
      changed = true
    end
    if changed then
      account_check_records(a)
    end
  end

  -- Whether the hold (ends, day) comes before another.
  local function hold_before(ends, day, other_end, other_day)
    return ends < other_end or (ends == other_end and day < other_day)
  end

  -- Whether a hold comes after all older holds, and not before the latest.
  local function hold_is_latest(a, hold_end, day)
    if hold_is_open(a) then
      return not hold_before(hold_end, day, a[HOLD_END], a[HOLD_DAY])
    elseif a[OLDER_HOLDS] == '' then
      return true
    end
    local ends, of_day = struct.unpack(HOLD_FORMAT, a[OLDER_HOLDS], #a[OLDER_HOLDS] - HOLD_BYTES + 1)
    return hold_before(ends, of_day, hold_end, day)
  end

  -- Adds to one of the older holds, or puts a record in its place: a shorter life of tokens, another
  -- replica's setting, or a line item with a short frequency window.
  local function account_hold_older(a, hold_end, day, count, micros)
    local older = a[OLDER_HOLDS]
    for at = #older - HOLD_BYTES + 1, 1, -HOLD_BYTES do
      local ends, of_day, of_count, of_micros = struct.unpack(HOLD_FORMAT, older, at)
      if ends == hold_end and of_day == day then
        local record = struct.pack(HOLD_FORMAT, ends, of_day, of_count + count, of_micros + micros)
        return account_splice_older(a, at, at + HOLD_BYTES, record, count, micros)
      elseif hold_before(ends, of_day, hold_end, day) then
        local record = struct.pack(HOLD_FORMAT, hold_end, day, count, micros)
        return account_splice_older(a, at + HOLD_BYTES, at + HOLD_BYTES, record, count, micros)
      end
    end
    account_splice_older(a, 1, 1, struct.pack(HOLD_FORMAT, hold_end, day, count, micros), count, micros)
  end

  -- Adds reservations, and their amount together, to the hold that ends at `hold_end`.
  function account_hold(a, hold_end, day, count, micros)
    account_add_held(a, day, count, micros)
    if not hold_is_latest(a, hold_end, day) then
      account_hold_older(a, hold_end, day, count, micros)
      account_check_records(a)
      return
    end
    local is_new = a[HOLD_END] ~= hold_end or a[HOLD_DAY] ~= day
    if is_new and hold_is_open(a) then
      local last = #a[OLDER_HOLDS] + 1
      local record = struct.pack(HOLD_FORMAT, a[HOLD_END], a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS])
      account_splice_older(a, last, last, record, a[HOLD_COUNT], a[HOLD_MICROS])
    end
    if is_new then
      a[HOLD_END], a[HOLD_DAY], a[HOLD_COUNT], a[HOLD_MICROS] = hold_end, day, 0, 0
    end
    a[HOLD_COUNT], a[HOLD_MICROS] = a[HOLD_COUNT] + count, a[HOLD_MICROS] + micros
    if is_new then
      account_check_records(a)
    end
  end

  -- Takes reservations out of a hold of so many: what is left of its count and micros, or nil when it
  -- holds fewer. A sum that cannot be true breaks the account. A count of 0 takes the money of a video whose impression has
  -- settled, which may be gone.
  local function hold_rest(a, of_count, of_micros, count, micros)
    if of_count < count or (count == 0 and of_micros < micros) then
      return nil
    end
    local left, rest = of_count - count, of_micros - micros
    if rest < 0 then
      account_break(a, BROKEN_SUMS)
    end
    return left, rest
  end

  -- Takes reservations out of one of the older holds. Returns false when there is no such hold. Checks
  -- the order of the records that it passes, and not the others: with four records, checking all made
  -- an impression a tenth dearer.
  local function account_unhold_older(a, hold_end, day, count, micros)
    local older = a[OLDER_HOLDS]
    local next_end, next_day = math.huge, math.huge
    for at = #older - HOLD_BYTES + 1, 1, -HOLD_BYTES do
      local ends, of_day, of_count, of_micros = struct.unpack(HOLD_FORMAT, older, at)
      if not hold_before(ends, of_day, next_end, next_day) then
        account_break(a, BROKEN_ORDER)
        return true
      end
      next_end, next_day = ends, of_day
      if ends == hold_end and of_day == day then
        local left, rest = hold_rest(a, of_count, of_micros, count, micros)
        if left and a[BROKEN] == 0 then
          local is_empty = left == 0 and rest == 0
          local record = is_empty and '' or struct.pack(HOLD_FORMAT, ends, of_day, left, rest)
          account_splice_older(a, at, at + HOLD_BYTES, record, -count, -micros)
          account_add_held(a, day, -count, -micros)
        end
        return left ~= nil
      end
    end
    return false
  end

  -- Takes reservations out of their hold, at the price at which they were made: `micros` is their
  -- amount together. Returns false when they are not there: they were released, or never made. The
  -- holds of a broken account stay as they are.
  function account_unhold(a, hold_end, day, count, micros)
    if a[BROKEN] ~= 0 then
      return true
    elseif a[HOLD_END] ~= hold_end or a[HOLD_DAY] ~= day or not hold_is_open(a) then
      return account_unhold_older(a, hold_end, day, count, micros)
    end
    local left, rest = hold_rest(a, a[HOLD_COUNT], a[HOLD_MICROS], count, micros)
    if not left then
      return false
    end
    a[HOLD_COUNT], a[HOLD_MICROS] = left, rest
    account_add_held(a, day, -count, -micros)
    return true
  end
end
