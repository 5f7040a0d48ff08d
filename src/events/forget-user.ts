import type { Knex } from 'knex';
import { partitionsOf } from './postgres/partitions.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import { UNNAMED_SEAL_LENGTH, userPartOf } from '../ledger/settle/actor.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** A user under one key of pseudonyms at one publisher. */
export interface Pseudonym {
  readonly publisherId: number;
  readonly userHash: string;
}

export interface ForgetUserOptions {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
}

/** Redis keys deleted at a time. */
const KEYS_AT_ONCE = 500;

/**
 * Erases the pseudonyms of a user from every shard and every day. The rows stay without the user,
 * because their counts are billed. Each day is a transaction, so that events are stored meanwhile.
 * Can be repeated. Resolves to what was erased: users' places in Redis, and rows in which the user was. Rejects when a store is unavailable.
 */
export const createForgetUser =
  ({ knex, redis, keys }: ForgetUserOptions) =>
  async (pseudonyms: readonly Pseudonym[]) => {
    const hashes = pseudonyms.map(({ userHash }) => userHash);
    let places = 0;
    for (let from = 0; from < pseudonyms.length; from += KEYS_AT_ONCE) {
      const some = pseudonyms.slice(from, from + KEYS_AT_ONCE);
      const deleted = await Promise.all(some.map(({ publisherId, userHash }) => redis.unlink(keys.places(publisherId, userHash))));
      places += deleted.reduce((sum, count) => sum + count, 0);
      await Promise.all(some.map(({ publisherId, userHash }) => redis.unlink(keys.userActivity(publisherId, userHash))));
    }
    const changed = async (sql: string, ...names: readonly string[]): Promise<number> => {
      const { rowCount } = await knex.raw<{ rowCount: number }>(sql, [...names, hashes] as unknown as Knex.RawBinding);
      return rowCount;
    };
    let events = 0;
    for (const partition of await partitionsOf(knex))
      events += await changed(`update ?? set user_hash = '' where user_hash = any(?)`, partition);
    const parts = pseudonyms.map((one) => userPartOf({ ...one, seal: undefined }));
    for (const partition of await partitionsOf(knex, 'event_signals')) {
      await knex.raw('update ?? set user_part = null where user_part = any(?)', [partition, parts] as unknown as Knex.RawBinding);
      await changed(`update ?? set hit = jsonb_set(hit, '{ad,userHash}', 'null') where hit #>> '{ad,userHash}' = any(?)`, partition);
    }
    return {
      places,
      events,
      pendingHits: await changed(
        `update pending_hits set payload = jsonb_set(jsonb_set(payload, '{ad,userHash}', 'null'), '{ad,seal}',
           coalesce(to_jsonb(left(payload #>> '{ad,seal}', ${UNNAMED_SEAL_LENGTH})), 'null'), false)
         where payload #>> '{ad,userHash}' = any(?)`,
      ),
      // The payload is text that contains the hit as JSON text; a pseudonym has no character to escape.
      deadEvents: await changed(
        `update dead_events set payload = regexp_replace(payload, array_to_string(found.hashes, '|'), '', 'g')
         from (select ?::text[] as hashes) as found
         where exists (select from unnest(found.hashes) as hash where position(hash in payload) > 0)`,
      ),
    };
  };
