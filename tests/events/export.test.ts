import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import knexFactory, { type Knex } from 'knex';
import { createCountedStore } from './counted-store.ts';
import { EVENT_COLUMN_NAMES, eventColumn } from '../../src/events/export/event-columns.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, type ApiCall } from '../api/api-client.ts';
import { eventOf, NOON } from './events.ts';

const DAY = '2026-06-15';
const HITS = 2_345;
let databaseUrl: string;
let replica: Replica;
let api: ApiCall;
let knex: Knex;
let duckDb: DuckDBConnection;
const folder = temporaryFolder();

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  duckDb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const signals = { network: '192.0.2.0/24', agent: 'Firefox', origin: 'https://gazette.example', elsewhere: false };
  const store = createCountedStore({ knex });
  await store.append(
    Array.from({ length: HITS }, (_, i) =>
      eventOf(
        { publisherId: 1 + (i % 2), placementId: i === 0 ? '=1+1' : 'top, "left"\nätt', userHash: i % 3 === 0 ? `user-${i}` : null },
        { country: i % 2 ? 'DE' : null, device: 'desktop', browser: 'Firefox', signals, ...(i % 10 === 0 && { invalidReason: 'spider' }) },
        NOON + i,
      ),
    ).map((event, i) => ({ ...event, billedMicros: i % 10 === 0 ? 0 : 1_000_001 + i })),
  );
  await store.append([{ ...eventOf({}, { kind: 'event', eventType: 'viewable' }), billedMicros: 0 }, eventOf({}, {}, NOON + 86_400_000)]);
});
afterAll(() => knex.destroy());

/** The rows of a query of DuckDB, which reads the file with its own reader. */
const asked = async (sql: string): Promise<readonly Record<string, unknown>[]> => (await duckDb.runAndReadAll(sql)).getRowObjectsJson();
const download = async (query: string): Promise<string> => {
  const answer = await fetch(`${replica.url}/api/events?${query}`);
  expect(answer.status).toBe(200);
  const file = path.join(folder, `${Math.random()}`);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  return file;
};

const SUMS = `count(*) filter (where kind = 'impression' and reason is null) as impressions, sum(billed_micros) as micros,
  count(*) filter (where reason = 'spider') as filtered, count(*) filter (where kind = 'event' and event_type = 'viewable') as viewable,
  count(distinct token_id) as tokens, count(*) filter (where country is null) as unknown`;

test('another program reads an export in both formats, and its sums are those of the ledger', async () => {
  const [ledger] = await knex('daily_counts').where({ day: DAY }).sum({ impressions: 'impressions', micros: 'spend_micros' });
  const parquet = await asked(`select ${SUMS} from read_parquet('${await download(`day=${DAY}&format=parquet`)}')`);
  const csv = await asked(`select ${SUMS} from read_csv('${await download(`day=${DAY}`)}', header = true)`);
  expect(parquet).toEqual([
    {
      ...{ impressions: ledger?.['impressions'], micros: ledger?.['micros'], filtered: '235', viewable: '1', tokens: String(HITS + 1) },
      unknown: String(Math.ceil(HITS / 2) + 1),
    },
  ]);
  expect(csv).toEqual(parquet);
});

test('Parquet has the types and values of the schema', async () => {
  const file = await download(`day=${DAY}&format=parquet&columns=counted_at,day,user_hash,placement_id,billed_micros,publisher_id`);
  const types = {
    day: 'DATE',
    counted_at: 'TIMESTAMP',
    billed_micros: 'BIGINT',
    publisher_id: 'INTEGER',
    placement_id: 'VARCHAR',
    user_hash: 'VARCHAR',
  };
  const described = await asked(`describe select * from read_parquet('${file}')`);
  expect(Object.fromEntries(described.map(({ column_name, column_type }) => [column_name, column_type]))).toEqual(types);
  expect(await asked(`select * from read_parquet('${file}') where user_hash = 'user-3'`)).toEqual([
    {
      ...{ day: DAY, counted_at: `${DAY} 12:00:00.003`, billed_micros: '1000004', publisher_id: 2, placement_id: 'top, "left"\nätt' },
      user_hash: 'user-3',
    },
  ]);
});

test('an export has the user only when it is asked for, the signals of the sender never, and the audit trail names who took it', async () => {
  const text = readFileSync(await download(`day=${DAY}&publisher_id=2`), 'utf8');
  expect(text.split('\r\n')[0]).toBe(EVENT_COLUMN_NAMES.filter((name) => name !== 'user_hash').join(','));
  expect(text).not.toMatch(/user-|192\.0\.2|gazette/);
  expect(
    (await asked(`select distinct publisher_id from read_csv('${await download(`day=${DAY}&publisher_id=2`)}', header = true)`))[0],
  ).toEqual({
    publisher_id: '2',
  });
  const [change] = (await api('GET', '/audit?entity=events')).body;
  expect(change).toMatchObject({ actor: 'anonymous', action: 'export_events', entity_id: DAY, after: { format: 'csv', publisher_id: 2 } });
});

test('a text that a spreadsheet would run is not a formula in CSV', async () => {
  expect(readFileSync(await download(`day=${DAY}&columns=placement_id`), 'utf8')).toContain("\r\n'=1+1\r\n");
});

test('one export runs at a time, and ends with its client', async () => {
  const leaving = new AbortController();
  await fetch(`${replica.url}/api/events?day=${DAY}`, { signal: leaving.signal });
  const second = await api('GET', `/events?day=${DAY}`);
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '30']);
  leaving.abort();
  for (;;) {
    const { status } = await api('HEAD', `/events?day=${DAY}`);
    if (status === 200) break;
    expect(status).toBe(429);
  }
});

test('what cannot be exported is refused with every fault', async () => {
  const { status, body } = await api('GET', '/events?day=2026-02-30&format=xlsx&publisher_id=0&columns=day,address&limit=3');
  expect([status, (body.errors as { pointer: string }[]).map(({ pointer }) => pointer)]).toEqual([
    400,
    ['/limit', '/day', '/format', '/publisher_id', '/columns'],
  ]);
  const gone = await api('GET', '/events?day=2020-01-01');
  expect([gone.status, gone.body.detail]).toEqual([
    404,
    'No events of 2020-01-01 are stored: there were none, or EVENT_RETENTION has passed.',
  ]);
});

test('the command writes the same events to a new file, and replaces none', async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [path.resolve(__dirname, '../../dist/commands/export-events.js'), ...args], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
    });
  const out = path.join(folder, 'events.parquet');
  const [written, printed] = await Promise.all([
    run('--day', DAY, '--out', out),
    run('--day', DAY, '--format', 'csv', '--columns', 'kind', '--publisher', '2'),
  ]);
  expect(written.stderr).toBe(`${HITS + 1} events of ${DAY} were exported\n`);
  expect(printed.stdout.split('\r\n')[1]).toBe('impression');
  expect(await asked(`select ${SUMS} from read_parquet('${out}')`)).toEqual(
    await asked(`select ${SUMS} from read_parquet('${await download(`day=${DAY}&format=parquet`)}')`),
  );
  await expect(run('--day', DAY, '--out', out)).rejects.toThrow('EEXIST');
});

test('the docs have the columns of the export', () => {
  const docs = readFileSync(path.resolve(__dirname, '../../docs/reports.md'), 'utf8');
  const rows = EVENT_COLUMN_NAMES.map((name) => {
    const { type, isNullable, words } = eventColumn(name);
    return `| \`${name}\` | ${type}${isNullable ? ', nullable' : ''} | ${words} |`;
  });
  expect(docs).toContain(rows.join('\n'));
});
