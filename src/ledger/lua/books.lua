-- The accounts that one call works on, by hash and field. Each is opened once, so that a request or
-- hit of a batch sees the changes of those before it, and written back once, at the end. Include
-- after account.lua.
local books = {}

-- The accounts of a line item and of its campaign, which are fields of the hash `key`, at the day
-- of `now`. Releases holds that have ended, unless `horizon` is nil.
local function books_open(key, line_item, campaign, now, horizon)
  local book = books[key]
  if not book then
    book = { open = {}, dirty = {}, renewed = false }
    books[key] = book
  end
  local open = book.open
  if not open[line_item] or not open[campaign] then
    local packed = redis.call('HMGET', key, line_item, campaign)
    for i, field in ipairs({ line_item, campaign }) do
      if not open[field] then
        local a, renewed = account_open(packed[i], now, horizon)
        open[field] = a
        book.renewed = book.renewed or renewed
      end
    end
  end
  return book, open[line_item], open[campaign]
end

-- Writes the accounts that changed. `expires_at` holds the end of each hash in epoch seconds; it is
-- set once a day and whenever an account is made.
local function books_save(expires_at)
  for key, book in pairs(books) do
    local fields = {}
    for field in pairs(book.dirty) do
      fields[#fields + 1] = field
      fields[#fields + 1] = account_pack(book.open[field])
    end
    if #fields > 0 then
      redis.call('HSET', key, unpack(fields))
      if book.renewed then
        redis.call('EXPIREAT', key, expires_at[key])
      end
    end
  end
end
