-- The days of a publisher's time zone: base/local-day.ts says the rule, and tests/base/local-day.test.ts compares the two.
-- @include account.lua

-- The rule of a text of local-day.ts, '' or nil for UTC; the number of a moment's day; when a day begins; when that of a
-- moment begins and ends.
local day_rule, day_of, day_start, day_bounds
do
  local UTC = { offset = 0, change = 8640000000000000, after = 0 }
  local MAX_RULES = 1000
  local rules, count = {}, 0

  local function read_rule(text)
    local offset, change, after = string.match(text, '^(%-?%d+) (%d+) (%-?%d+)$')
    return offset and { offset = tonumber(offset), change = tonumber(change), after = tonumber(after) } or UTC
  end

  function day_rule(text)
    if not text or text == '' then
      return UTC
    end
    local rule = rules[text]
    if not rule then
      if count >= MAX_RULES then
        rules, count = {}, 0
      end
      rule, count = read_rule(text), count + 1
      rules[text] = rule
    end
    return rule
  end

  -- A day does not come back when clocks go back over midnight.
  function day_of(rule, ms)
    if ms < rule.change then
      return math.floor((ms + rule.offset) / MS_PER_DAY)
    end
    return math.max(math.floor((ms + rule.after) / MS_PER_DAY), math.floor((rule.change - 1 + rule.offset) / MS_PER_DAY))
  end

  function day_start(rule, day)
    local start = day * MS_PER_DAY - rule.offset
    return start < rule.change and start or math.max(day * MS_PER_DAY - rule.after, rule.change)
  end

  -- Asked for each candidate, mostly for the same day.
  function day_bounds(rule, ms)
    if not rule.start or ms < rule.start or ms >= rule.finish then
      local day = day_of(rule, ms)
      rule.start, rule.finish = day_start(rule, day), day_start(rule, day + 1)
    end
    return rule.start, rule.finish
  end
end
