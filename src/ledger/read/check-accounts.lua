-- Reads accounts together with what is on its way from them to Postgres. Checks all of their records
-- and sets aside those that are wrong; changes nothing else.
--
-- KEYS[1] accounts of the publisher (hash), KEYS[2] event stream of the shard, KEYS[3] number of the last adjustment
--   in the shard, KEYS[4] broken accounts of the shard (hash)
-- ARGV[1] the most events of the stream that are returned, ARGV[2], … fields: 'l<line item>' or 'c<campaign>'
-- Returns the number of the last adjustment and the epoch of the accounts; the values of the stream's entries (../lua/events.lua), or nil when
--   there are more events; then per field an empty array, or whole numbers by the field
--   list of account-books.ts
-- Why atomic: a hit that settles in between would be in the stream and not in the account.
--
-- @include ../../redis/lua/clock.lua
-- @include ../lua/books.lua
-- @include ../lua/counts.lua
-- @include ../lua/unstored.lua

call_begin()
local book = books_of(KEYS[1], KEYS[4], clock_ms())
local results = { (redis.call('GET', KEYS[3]) or '0') .. ' ' .. (redis.call('HGET', KEYS[1], EPOCH_FIELD) or ''), unstored_entries(KEYS[2], tonumber(ARGV[1])) }
local packed = redis.call('HMGET', KEYS[1], unpack(ARGV, 2))
for i = 1, #ARGV - 1 do
  if packed[i] then
    books_keep(book, ARGV[i + 1], packed[i])
    local a = book.open[ARGV[i + 1]]
    account_check_records(a)
    results[i + 2] = counts_row(account_counts(a))
  else
    results[i + 2] = {}
  end
end
book.renewed = false
books_save({})
return results
