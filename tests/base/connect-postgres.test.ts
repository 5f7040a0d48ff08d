import { connectPostgres } from '../../src/base/connect-postgres.ts';
import { testDatabase } from '../setup/test-database.ts';

test('the statement after one whose session Postgres has ended has a session of its own', async () => {
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
  await Promise.all([knex.destroy(), other.destroy()]);
});

test('the message of a failed query, which is logged, has the text of the query without its values', async () => {
  const knex = connectPostgres({ connection: await testDatabase(), max: 1 });
  const failed = Promise.resolve(knex('missing').where({ user_hash: 'hash-of-ann' }));
  await expect(failed).rejects.toThrow('select * from "missing" where "user_hash" = $1 - relation "missing" does not exist');
  await expect(failed).rejects.not.toThrow('hash-of-ann');
  await knex.destroy();
});
