import knexFactory, { type Knex } from 'knex';
import { migrateLatest, migrateRollback } from '../../src/catalog/postgres/migrate.ts';
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

test('migrations roll back to an empty database and up again, also by ten replicas together', async () => {
  const url = await testDatabase();
  const before = (await tablesOf(url)).sort();

  const takenBack = await migrateRollback(url, { all: true });
  expect(await tablesOf(url)).toEqual([]);

  const applied = await Promise.all(Array.from({ length: 10 }, () => migrateLatest(url)));
  expect(applied.map((names) => names.length).sort((a, b) => a - b)).toEqual([...Array<number>(9).fill(0), takenBack.length]);
  expect((await tablesOf(url)).sort()).toEqual(before);
});

test('a killed migration does not block the next one', async () => {
  const url = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection: url });
  await knex('knex_migrations_lock').update({ is_locked: 1 });
  await knex.destroy();
  await expect(migrateRollback(url)).resolves.not.toEqual([]);
  await expect(migrateLatest(url)).resolves.not.toEqual([]);
});

test('no day of event rows has an index by line item, and the release before has it on new days', async () => {
  const url = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection: url });
  const addDay = (from: string, to: string) =>
    knex.raw(`create table events_${from.replaceAll('-', '')} partition of events for values from ('${from}') to ('${to}')`);
  const indexed = () =>
    knex('pg_indexes').where('tablename', 'like', 'events_2%').where('indexdef', 'like', '%(line_item_id)').pluck('tablename');
  const file = '../../migrations/20261203100000_events_without_line_item_index.js';
  const { down, up } = (await import(file)) as Record<'down' | 'up', (knex: Knex) => Promise<void>>;
  try {
    await addDay('2026-11-20', '2026-11-21');
    await down(knex);
    await addDay('2026-11-21', '2026-11-22');
    expect(await indexed()).toEqual(['events_20261121']);
    await up(knex);
    expect(await indexed()).toEqual([]);
  } finally {
    await knex.destroy();
  }
});

test('event rows of the release before keep their values and their day, there and back', async () => {
  const file = '../../migrations/20261202110000_event_columns.js';
  const { down, up } = (await import(file)) as Record<'down' | 'up', (knex: Knex) => Promise<void>>;
  const url = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection: url });
  const partition = `create table events_20261120 partition of events for values from ('2026-11-20') to ('2026-11-21')`;
  const row = {
    jti: 'a token',
    kind: 'impression',
    at: '2026-11-20T23:59:59.500Z',
    line_item_id: 7,
    billed_micros: 3_000,
    zone: 'Asia/Tokyo',
  };
  const ids = { publisher_id: 1, campaign_id: 2, creative_id: 8, placement_id: 'top', user_hash: '' };
  const stored = async () => {
    const { rows } = await knex.raw<{ rows: object[] }>(
      `select tableoid::regclass::text as partition, jti, kind, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
              line_item_id, billed_micros::int, zone from events`,
    );
    return rows;
  };
  try {
    await down(knex);
    await knex.raw(partition);
    await knex('events').insert({ ...row, ...ids, day: '2026-11-20' });
    const before = await stored();
    expect(before).toEqual([{ ...row, partition: 'events_20261120' }]);

    await knex.transaction((trx) => up(trx));
    expect(await stored()).toEqual(before);
    // As a replica of the release before stores rows that are there already.
    await knex.raw(
      `insert into events (day, jti, kind, at, publisher_id, campaign_id, line_item_id, creative_id, placement_id, user_hash)
       select '2026-11-20', * from unnest(array['a token', 'another'], array['impression', 'click'], array['2026-11-20', '2026-11-20']::timestamptz[],
                                          array[1, 1], array[2, 2], array[7, 7], array[8, 8], array['top', 'top'], array['', ''])
       on conflict do nothing`,
    );
    expect(await knex('events').orderBy('jti').pluck('kind')).toEqual(['impression', 'click']);

    await down(knex);
    expect(await stored()).toHaveLength(2);
  } finally {
    await knex.destroy();
  }
});
