-- Whether the numbers of an account can be true.
-- @include account.lua

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
    and (older_count > 0 or older_micros > 0) == (a[OLDER_HOLDS] ~= '')) then
    account_break(a, BROKEN_SUMS)
  elseif not (a[SERVES] >= 0 and a[IMPRESSIONS] >= 0 and a[SPEND] >= 0 and a[T_SPEND] >= 0 and a[T_CLICKS] >= 0) then
    account_break(a, BROKEN_COUNTS)
  end
end

-- Checks every record: sorted, unique, none empty, and equal to the sums. 0.2 µs a record, so it
-- runs when records were added or released, and whenever an account is read for reconciliation.
local function account_check_records(a)
  account_check_sums(a)
  local count, micros, today_count, today_micros = a[HOLD_COUNT], a[HOLD_MICROS], 0, 0
  local is_open = count > 0 or micros > 0
  if is_open and a[HOLD_DAY] == a[DAY] then
    today_count, today_micros = count, micros
  end
  local next_end, next_day = math.huge, math.huge
  if is_open then
    next_end, next_day = a[HOLD_END], a[HOLD_DAY]
  end
  local in_order, today, older = true, a[DAY], a[OLDER_HOLDS]
  for at = #older - HOLD_BYTES + 1, 1, -HOLD_BYTES do
    local ends, day, of_count, of_micros = struct.unpack(HOLD_FORMAT, older, at)
    in_order = in_order and (of_count > 0 or of_micros > 0) and (ends < next_end or (ends == next_end and day < next_day))
    next_end, next_day = ends, day
    count, micros = count + of_count, micros + of_micros
    if day == today then
      today_count, today_micros = today_count + of_count, today_micros + of_micros
    end
  end
  if not in_order then
    account_break(a, BROKEN_ORDER)
  elseif count ~= a[OLDER_COUNT] + a[HOLD_COUNT] or micros ~= a[HELD_TOTAL]
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
