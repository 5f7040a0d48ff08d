import knexFactory from 'knex';
import { postgresPool } from '../../src/base/postgres-pool.ts';
import { testDatabase } from '../setup/test-database.ts';

const said: string[] = [];
const log = { warn: (words: unknown) => void said.push(String(words)) };

test('the statement after one whose session Postgres has ended has a session of its own', async () => {
  const connection = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection, pool: postgresPool(1), log });
  const other = knexFactory({ client: 'pg', connection, pool: { min: 0, max: 1 } });
  const sessionOf = async (): Promise<number> =>
    (await knex.raw<{ rows: { pid: number }[] }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  const first = await sessionOf();
  const next = knex.raw('select pg_sleep(60)').then(() => 'slept', sessionOf);
  while (
    (await other.raw<{ rowCount: number }>(`select 1 from pg_stat_activity where pid = ? and wait_event = 'PgSleep'`, [first])).rowCount ===
    0
  );
  await other.raw('select pg_terminate_backend(?)', [first]);
  expect(await next).toEqual(expect.any(Number));
  expect(await next).not.toBe(first);
  expect(said).toEqual(['Connection Error: Error: terminating connection due to administrator command']);
  await Promise.all([knex.destroy(), other.destroy()]);
});
