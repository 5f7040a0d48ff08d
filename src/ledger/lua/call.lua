-- What one call works on. A function of a library lives as long as the library does, so everything
-- that belongs to a single call is in this table, and every call begins with call_begin.
local call

local function call_begin()
  call = {
    -- The epoch that the caller knows, '' for none, and the key of the record of epochs (epoch.lua).
    epoch = '',
    is_trusted = true,
    -- Whole numbers as text (events.lua).
    texts = {},
    -- The accounts by hash (books.lua), and what was released in them (holds.lua).
    books = {},
    released = {},
    released_micros = {},
    -- The fold horizons by key (horizon.lua).
    horizons = {},
    -- The serves by tally and field (tally.lua).
    serves = {},
    -- The entries by event stream (events.lua).
    events = {},
    -- The users by the key of their places (frequency.lua).
    users = {},
    -- What the page views show, by key (page.lua).
    pages = {},
    -- The clients by their hash (clients.lua).
    clients = {},
  }
end

-- Reads the scope of a call: 'number_of_publishers epoch'. The key of the record of epochs is the last one. Returns
-- the number of publishers.
local function call_scope(text, keys)
  local publishers, epoch = string.match(text, '^(%d+) ?(.*)$')
  call.epoch, call.epoch_key = epoch, keys[#keys]
  return tonumber(publishers)
end
