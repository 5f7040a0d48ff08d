-- The epoch of the books: a random name of the content that Redis has. Postgres and every replica know it, and each
-- call names it (docs/concepts/lost-counters.md). The hash of a publisher's accounts carries the epoch under which it
-- was made, so that accounts of other content, or none, are recognized in the call that would sell from them.
-- @include call.lua

-- The field of a publisher's hash with its epoch; followed by EPOCH_REBUILDING as long as accounts are missing.
local EPOCH_FIELD = '#'
local EPOCH_REBUILDING = ' rebuilding'

-- In a block, because a chunk of Lua has room for 200 local names.
local epoch_state
do
  -- Whether all accounts of the call's epoch are there that are not empty. Read when a publisher has no hash: that is
  -- right for a new publisher, and wrong after a loss.
  local function epoch_is_open()
    if call.epoch_is_open == nil then
      local record = redis.call('HMGET', call.epoch_key, 'id', 'state')
      call.epoch_is_open = record[1] == call.epoch and record[2] == 'open'
    end
    return call.epoch_is_open
  end

  -- Of a publisher's hash, by the epoch that it carries: 'open', 'rebuilding' (accounts that are missing are not
  -- rebuilt yet) or 'closed' (nothing in it may be used).
  function epoch_state(mark)
    if call.epoch == '' then
      return 'open'
    elseif not call.is_trusted then
      return 'closed'
    elseif mark == call.epoch then
      return 'open'
    elseif mark == call.epoch .. EPOCH_REBUILDING then
      return 'rebuilding'
    end
    return not mark and epoch_is_open() and 'open' or 'closed'
  end
end
