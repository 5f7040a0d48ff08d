import knexFactory from 'knex';
import { migrateLatest, migrateRollback } from '../../src/catalog/migrate.ts';
import { testDatabase } from '../setup/test-database.ts';

const tablesOf = async (url: string): Promise<string[]> => {
  const knex = knexFactory({ client: 'pg', connection: url });
  try {
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(`select tablename as name from pg_tables where schemaname = 'public'`);
    return rows.map(({ name }) => name).filter((name) => !name.startsWith('knex_'));
  } finally {
    await knex.destroy();
  }
};

test('migrations go down to nothing and up again, and ten replicas may bring them up at once', async () => {
  const url = await testDatabase();
  const before = (await tablesOf(url)).sort();

  const takenBack = await migrateRollback(url, { all: true });
  expect(await tablesOf(url)).toEqual([]);

  const applied = await Promise.all(Array.from({ length: 10 }, () => migrateLatest(url)));
  expect(applied.map((names) => names.length).sort((a, b) => a - b)).toEqual([...Array<number>(9).fill(0), takenBack.length]);
  expect((await tablesOf(url)).sort()).toEqual(before);
});

test('a migration that was killed leaves nothing that keeps the next one out', async () => {
  const url = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection: url });
  await knex('knex_migrations_lock').update({ is_locked: 1 });
  await knex.destroy();
  await expect(migrateRollback(url)).resolves.not.toEqual([]);
  await expect(migrateLatest(url)).resolves.not.toEqual([]);
});
