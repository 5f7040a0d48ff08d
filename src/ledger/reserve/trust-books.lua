-- Whether the content of this server has been examined. A library keeps its variables for as long as the process has it
-- loaded: after a restart, a full synchronization or a failover to a replica nothing is trusted, so nothing with a limit
-- is sold until a ledger has looked (books_trust). A comparison costs no command.
--
-- The record of epochs is a hash: `id`, the epoch; `state`, 'rebuilding' or 'open'; `opened_ms`, when it began; `mark`,
-- the last moment (ms of Postgres) at which a replica has written to Postgres and then here.
-- @include ../lua/call.lua
local books_are_trusted, books_trust
do
  -- By epoch, which is of one content: the databases of a server share this library, and have the same keys.
  local trusted, count = {}, 0
  -- Each loss of data adds one. What is forgotten is examined again.
  local MAX_TRUSTED = 1000

  local function trust(epoch)
    if trusted[epoch] then
      return
    end
    if count >= MAX_TRUSTED then
      trusted, count = {}, 0
    end
    trusted[epoch], count = true, count + 1
  end

  -- As IDLE_KEY_TTL_MS of base/utc-day.ts.
  local RECORD_TTL_MS = 3024000000

  function books_are_trusted()
    return call.epoch == '' or trusted[call.epoch] == true
  end

  -- Names the process, and the history of writes that it continues.
  local function identity()
    local server, replication = redis.call('INFO', 'server'), redis.call('INFO', 'replication')
    return string.match(server, 'run_id:(%w+)') .. ' ' .. string.match(replication, 'master_replid:(%w+)')
  end

  -- KEYS[1] record of epochs, KEYS[2] a fold horizon, which exists where replicas have worked before
  -- ARGV[1] 'look'; or 'trust', ARGV[2] epoch, ARGV[3] identity: the content is of this epoch, and this process has it
  --   all; or 'open', ARGV[2] epoch, ARGV[3] state: a new epoch begins
  -- Returns the identity, the epoch of the record if it is trusted, what the record says (id, state, mark), 1 when replicas have
  --   worked here, and the time (ms); '' for what is not there
  function books_trust(keys, args)
    local key, now = keys[1], clock_ms()
    local process = identity()
    if args[1] == 'trust' and redis.call('HGET', key, 'id') == args[2] and process == args[3] then
      trust(args[2])
    elseif args[1] == 'open' then
      redis.call('DEL', key)
      redis.call('HSET', key, 'id', args[2], 'state', args[3], 'opened_ms', string.format('%.0f', now))
      redis.call('PEXPIRE', key, RECORD_TTL_MS)
      trust(args[2])
    end
    local record = redis.call('HMGET', key, 'id', 'state', 'mark')
    local id = record[1] or ''
    return {
      process, trusted[id] and id or '', id, record[2] or '', record[3] or '0',
      redis.call('EXISTS', keys[2]), string.format('%.0f', now),
    }
  end
end
