import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { ACCOUNT_LAYOUT } from '../ledger/ledger-keys.ts';
import { ClaimConflict } from '../redis/redis-link.ts';
import type { Stores } from './connect-stores.ts';

const WAY_OUT =
  'It stops, because caps and budgets would begin again at zero. ' +
  'Another installation needs another Redis, or another database number of it (REDIS_URL=redis://host:6379/1). ' +
  'Another LEDGER_SHARDS: set the old value, or give up the counters and rebuild them (docs/operations.md, "Clearing the counters").';

/** What this installation writes beside its counters in Redis. Resolves when Postgres answers, however long that takes. */
export const claimOf = async ({ knex, keys }: Stores): Promise<string> =>
  `installation ${await installationId(knex)}, LEDGER_SHARDS=${keys.shards}, account layout ${ACCOUNT_LAYOUT}`;

/**
 * Opens both links to Redis under the claim of this installation. Resolves when Redis has accepted it, however
 * long Redis is unavailable; rejects when Redis holds the counters of another installation or layout, with a
 * message for the operator.
 *
 * @param claim of `claimOf`; undefined: is read first
 */
export const claimRedis = async (stores: Stores, claim?: string): Promise<void> => {
  const { link, backgroundLink } = stores;
  const own = claim ?? (await claimOf(stores));
  try {
    await Promise.all([link.open(own), backgroundLink.open(own)]);
  } catch (fault) {
    throw fault instanceof ClaimConflict ? new Error(`${fault.message}. ${WAY_OUT}`) : fault;
  }
};

/** The id that the migration gave to this database. */
const installationId = async (knex: Knex): Promise<string> => {
  for (;;) {
    const row = await knex('instance')
      .first<{ id: string } | undefined>({ id: 'installation_id' })
      .catch(() => undefined);
    if (row !== undefined) return row.id;
    await sleep(1000);
  }
};
