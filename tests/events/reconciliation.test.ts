import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import { underReconcileLock } from '../../src/events/postgres/reconciliation.ts';
import { testDatabase } from '../setup/test-database.ts';

let knex: Knex;
beforeAll(async () => {
  // The service's connections have half a minute.
  const connection = { connectionString: await testDatabase(), options: '-c idle_in_transaction_session_timeout=500' };
  knex = knexFactory({ client: 'pg', connection, pool: { min: 0, max: 2 } });
});
afterAll(() => knex.destroy());

describe('the lock of a comparison of the books', () => {
  it('is kept through a step that takes longer than Postgres lets a transaction rest', async () => {
    let isTaken = true;
    await underReconcileLock(knex, { wait: false, beatMs: 50 }, async (checkLock) => {
      await sleep(1_500);
      await checkLock();
      isTaken = false;
      await underReconcileLock(knex, { wait: false }, () => Promise.resolve(void (isTaken = true)));
    });
    expect(isTaken).toBe(false);
  });

  it('that was lost is noticed', async () => {
    const work = underReconcileLock(knex, { wait: false, beatMs: 60_000 }, async (checkLock) => {
      await sleep(1_500);
      await checkLock();
    });
    await expect(work).rejects.toThrow();
  });
});
