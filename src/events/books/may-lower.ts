import type { Knex } from 'knex';
import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { scopesOf, type RedisClient } from '../../redis/redis-client.ts';
import { createBookStore } from '../postgres/book-store.ts';

export interface MayLowerOptions {
  readonly knex: Knex;
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
}

/**
 * Whether accounts may be lowered to the counts of Postgres: not after it was restored to a state older than Redis, until what
 * it lost is carried over. Rejects when a store is unavailable.
 */
export const createMayLower = ({ knex, redis, keys }: MayLowerOptions): (() => Promise<boolean>) => {
  const store = createBookStore({ knex });
  return async () => {
    const scopes = Array.from({ length: scopesOf(redis, keys) }, (_, scope) => scope);
    const marks = await Promise.all(scopes.map((scope) => redis.hget(keys.epochs(scope), 'mark')));
    return !(await store.isBehind(Math.max(...marks.map(Number))));
  };
};
