-- The places that one user holds under frequency caps at one publisher: a packed array of pairs
-- (line item, until ms). A selection holds a place until its token ends; the impression extends it
-- to the end of the sliding window. Places that have ended are dropped.
local function frequency_open(packed, now)
  local open = {}
  if packed then
    local places = cmsgpack.unpack(packed)
    for i = 1, #places, 2 do
      if places[i + 1] > now then
        open[#open + 1] = places[i]
        open[#open + 1] = places[i + 1]
      end
    end
  end
  return open
end

local function frequency_count(places, line_item)
  local count = 0
  for i = 1, #places, 2 do
    if places[i] == line_item then
      count = count + 1
    end
  end
  return count
end

local function frequency_hold(places, line_item, ends)
  places[#places + 1] = line_item
  places[#places + 1] = ends
end

-- Places of one line item with the same end are interchangeable, so the first of them is confirmed.
local function frequency_confirm(places, line_item, held_until, window_end)
  for i = 1, #places, 2 do
    if places[i] == line_item and places[i + 1] == held_until then
      places[i + 1] = window_end
      return
    end
  end
  frequency_hold(places, line_item, window_end)
end

local function frequency_save(key, places, now)
  local last = now
  for i = 2, #places, 2 do
    last = math.max(last, places[i])
  end
  if last > now then
    redis.call('SET', key, cmsgpack.pack(places), 'PX', last - now)
  else
    redis.call('DEL', key)
  end
end
