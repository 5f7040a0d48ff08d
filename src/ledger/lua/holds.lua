-- The holds of an account: checked, added, taken out and released. Include after account.lua.

-- One of the older holds: end (ms), day, count, micros.
local HOLD_FORMAT = '>I6I3I4I7'

-- A hit that a replica stored in Postgres may be this late, against Redis's clock, before its hold
-- is released: clock skew plus one insert.
local RELEASE_MARGIN_MS = 5000

-- The longest life of a token (TOKEN_TTL), and so of a hold.
local MAX_HOLD_MS = 43200000

-- Checks the sums, which every decision depends on. A comparison with NaN is false, so each test
-- names what must hold.
local function account_check_sums(a)
  local held_micros, hold_count, hold_micros = a[HELD_MICROS], a[HOLD_COUNT], a[HOLD_MICROS]
  local held_count, older_count, older_micros = a[HELD_COUNT], a[OLDER_COUNT], a[OLDER_MICROS]
  local total = a[HELD_TOTAL]
  if not (held_count >= 0 and held_micros >= 0 and held_micros <= total
    and hold_count >= 0 and hold_micros >= 0 and older_count >= 0 and older_micros >= 0) then
    account_break(a, BROKEN_NEGATIVE)
  elseif not (total == older_micros + hold_micros and held_count <= older_count + hold_count
    and (older_count > 0) == (a[OLDER_HOLDS] ~= '')) then
    account_break(a, BROKEN_SUMS)
  elseif not (a[SERVES] >= 0 and a[IMPRESSIONS] >= 0 and a[SPEND] >= 0 and a[T_SPEND] >= 0) then
    account_break(a, BROKEN_COUNTS)
  end
end

-- Checks every record: sorted, unique, none empty, and equal to the sums. 0.2 µs a record, so it
-- runs only when the records have changed, and whenever an account is read for reconciliation.
local function account_check_records(a)
  account_check_sums(a)
  local count, micros, today_count, today_micros = a[HOLD_COUNT], a[HOLD_MICROS], 0, 0
  if count > 0 and a[HOLD_DAY] == a[DAY] then
    today_count, today_micros = count, micros
  end
  local next_end, next_day = math.huge, math.huge
  if count > 0 then
    next_end, next_day = a[HOLD_END], a[HOLD_DAY]
  end
  local in_order, today, older = true, a[DAY], a[OLDER_HOLDS]
  for at = #older - HOLD_BYTES + 1, 1, -HOLD_BYTES do
    local ends, day, of_count, of_micros = struct.unpack(HOLD_FORMAT, older, at)
    in_order = in_order and of_count > 0 and (ends < next_end or (ends == next_end and day < next_day))
    next_end, next_day = ends, day
    count, micros = count + of_count, micros + of_micros
    if day == today then
      today_count, today_micros = today_count + of_count, today_micros + of_micros
    end
  end
  if not in_order then
    account_break(a, BROKEN_ORDER)
  elseif count ~= a[OLDER_COUNT] + a[HOLD_COUNT] or micros ~= a[HELD_TOTAL]
    or (a[HOLD_COUNT] == 0 and a[HOLD_MICROS] ~= 0)
    or today_count ~= a[HELD_COUNT] or today_micros ~= a[HELD_MICROS] then
    account_break(a, BROKEN_SUMS)
  end
end

-- When every hold of a broken account has ended for certain: the latest end among its records that
-- can be true, or the longest life of a token.
local function account_safe_at(a, now)
  local function is_plausible(ends)
    return ends > now and ends <= now + 2 * MAX_HOLD_MS
  end
  local latest = now + MAX_HOLD_MS
  if a[BROKEN] ~= BROKEN_BYTES and is_plausible(a[HOLD_END]) then
    latest = a[HOLD_END]
    local older = a[OLDER_HOLDS]
    for at = 1, #older, HOLD_BYTES do
      local ends = struct.unpack(HOLD_FORMAT, older, at)
      latest = math.max(latest, is_plausible(ends) and ends or 0)
    end
  end
  return latest + RELEASE_MARGIN_MS
end

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

-- The end of the hold that ends first; math.huge without holds.
local function account_first_end(a)
  if a[OLDER_COUNT] > 0 then
    return (struct.unpack('>I6', a[OLDER_HOLDS]))
  end
  return a[HOLD_COUNT] > 0 and a[HOLD_END] or math.huge
end

-- Drops holds that can no longer be settled. Calls `horizon` only when a hold has ended.
local function account_release(a, now, horizon)
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
  if a[OLDER_HOLDS] == '' and a[HOLD_COUNT] > 0 and is_over(a[HOLD_END]) then
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
  if a[HOLD_COUNT] > 0 then
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
local function account_hold(a, hold_end, day, count, micros)
  account_add_held(a, day, count, micros)
  if not hold_is_latest(a, hold_end, day) then
    account_hold_older(a, hold_end, day, count, micros)
    account_check_records(a)
    return
  end
  local is_new = a[HOLD_END] ~= hold_end or a[HOLD_DAY] ~= day
  if is_new and a[HOLD_COUNT] > 0 then
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
-- holds fewer. A sum that cannot be true breaks the account.
local function hold_rest(a, of_count, of_micros, count, micros)
  if of_count < count then
    return nil
  end
  local left, rest = of_count - count, of_micros - micros
  if rest < 0 or (left == 0 and rest > 0) then
    account_break(a, BROKEN_SUMS)
  end
  return left, rest
end

-- Takes reservations out of one of the older holds. Returns false when there is no such hold. It can
-- neither unsort the records nor part them from their sums, so it does not check them all: with four
-- records that made an impression a tenth dearer.
local function account_unhold_older(a, hold_end, day, count, micros)
  local older = a[OLDER_HOLDS]
  for at = #older - HOLD_BYTES + 1, 1, -HOLD_BYTES do
    local ends, of_day, of_count, of_micros = struct.unpack(HOLD_FORMAT, older, at)
    if ends == hold_end and of_day == day then
      local left, rest = hold_rest(a, of_count, of_micros, count, micros)
      if left and a[BROKEN] == 0 then
        local record = left > 0 and struct.pack(HOLD_FORMAT, ends, of_day, left, rest) or ''
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
local function account_unhold(a, hold_end, day, count, micros)
  if a[BROKEN] ~= 0 then
    return true
  elseif a[HOLD_END] ~= hold_end or a[HOLD_DAY] ~= day or a[HOLD_COUNT] == 0 then
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
