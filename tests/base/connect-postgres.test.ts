import { connectPostgres } from '../../src/base/connect-postgres.ts';
import { testDatabase } from '../setup/test-database.ts';

test('the statement after one whose session Postgres has ended has a session of its own, and nothing is printed', async () => {
  const printed = jest.spyOn(console, 'log');
  const connection = await testDatabase();
  const [knex, other] = [connectPostgres({ connection, max: 1 }), connectPostgres({ connection, max: 1 })];
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
  expect(printed).not.toHaveBeenCalled();
  await Promise.all([knex.destroy(), other.destroy()]);
});
