import type { Knex } from 'knex';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';

/** Sorted set of the keys that expire, by virtual time (ms). */
export const EXPIRY_KEY = 'chaos:expiry';

/**
 * Lua put before every script and library of the service: TIME, expiry and stream ids follow the virtual clock, so that hours pass
 * in milliseconds and the clock can step back. The rest of `redis` is unchanged.
 *
 * Expiry: a key with a TTL is listed with its end, and `EXPIRE_LUA` deletes it when the clock has reached it. Redis's own
 * TTL runs in real time and is not set.
 */
export const VIRTUAL_TIME_LUA = `
-- The real one, which has no commands yet while a library is loaded.
local function chaos_redis()
  return redis
end
local redis = {
  register_function = redis.register_function,
  pcall = function(...)
    return chaos_redis().pcall(...)
  end,
}
do
  local function raw(...)
    return chaos_redis().call(...)
  end
  local function now()
    return tonumber(raw('GET', '${VIRTUAL_CLOCK_KEY}'))
  end
  local ends_of = {
    EX = function(value) return now() + value * 1000 end,
    PX = function(value) return now() + value end,
    EXAT = function(value) return value * 1000 end,
    PXAT = function(value) return tonumber(value) end,
  }
  local function expire(key, ends)
    if ends <= now() then
      return raw('DEL', key)
    end
    if raw('EXISTS', key) == 0 then
      return 0
    end
    raw('ZADD', '${EXPIRY_KEY}', ends, key)
    return 1
  end
  local function set(args)
    local kept, ends = {}, nil
    for i = 1, #args do
      local unit = i > 2 and ends_of[args[i]]
      if unit then
        -- Redis refuses a TTL that is not positive; the real command reports it.
        if tonumber(args[i + 1]) <= 0 then
          return raw('SET', unpack(args))
        end
        ends = unit(args[i + 1])
      elseif not (i > 3 and ends_of[args[i - 1]]) then
        kept[#kept + 1] = args[i]
      end
    end
    local reply = raw('SET', unpack(kept))
    if ends then
      raw('ZADD', '${EXPIRY_KEY}', ends, args[1])
    else
      raw('ZREM', '${EXPIRY_KEY}', args[1])
    end
    return reply
  end
  local function xadd(args)
    if args[2] ~= '*' then
      return raw('XADD', unpack(args))
    end
    args[2] = string.format('%.0f-*', now())
    local reply = chaos_redis().pcall('XADD', unpack(args))
    if type(reply) == 'table' and reply.err then
      -- The clock stepped back: Redis then continues from the last id.
      args[2] = '*'
      return raw('XADD', unpack(args))
    end
    return reply
  end
  redis.call = function(name, ...)
    local command = string.upper(name)
    if command == 'TIME' then
      local ms = now()
      return { string.format('%.0f', math.floor(ms / 1000)), string.format('%.0f', ms % 1000 * 1000) }
    elseif command == 'SET' then
      return set({ ... })
    elseif command == 'XADD' then
      return xadd({ ... })
    elseif command == 'DEL' then
      raw('ZREM', '${EXPIRY_KEY}', ...)
      return raw(name, ...)
    elseif command == 'EXPIRE' or command == 'PEXPIRE' or command == 'EXPIREAT' or command == 'PEXPIREAT' then
      local key, value = ...
      local unit = string.gsub(string.gsub(command, 'EXPIRE', 'EX'), '^PEX', 'PX')
      return expire(key, ends_of[unit](value))
    end
    return raw(name, ...)
  end
end
`;

/** Deletes the keys whose virtual end has come. ARGV[1]: the virtual clock (ms). */
export const EXPIRE_LUA = `
local ended = redis.call('ZRANGEBYSCORE', '${EXPIRY_KEY}', '-inf', ARGV[1])
for _, key in ipairs(ended) do
  redis.call('DEL', key)
  redis.call('ZREM', '${EXPIRY_KEY}', key)
end
return #ended
`;

/**
 * Lets a migrated database follow a virtual clock: its search path finds these functions before
 * Postgres's own. Applies to connections opened afterwards.
 */
export const installPostgresClock = async (knex: Knex): Promise<void> => {
  await knex.raw(`
    create schema chaos;
    create sequence chaos.clock maxvalue 9000000000000;
    create function chaos.now() returns timestamptz language sql stable as
      'select to_timestamp(last_value / 1000.0) from chaos.clock';
    create function chaos.clock_timestamp() returns timestamptz language sql stable as 'select chaos.now()';
    create function chaos.statement_timestamp() returns timestamptz language sql stable as 'select chaos.now()';
    do $$
    declare found record;
    begin
      for found in select table_name, column_name from information_schema.columns
                   where table_schema = 'public' and column_default like '%now()%' loop
        execute format('alter table %I alter %I set default chaos.now()', found.table_name, found.column_name);
      end loop;
      execute format('alter database %I set search_path = chaos, public, pg_catalog', current_database());
    end $$`);
};

export const setPostgresClock = async (knex: Knex, ms: number): Promise<void> => {
  await knex.raw(`select setval('chaos.clock', ?)`, [ms]);
};
