import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import knexFactory from 'knex';
import { MS_PER_DAY } from '../src/base/utc-day.ts';
import { migrateLatest } from '../src/catalog/postgres/migrate.ts';
import { createEventStore } from '../src/events/postgres/event-store.ts';
import { openClickHouse } from '../src/events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema } from '../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { openClickHouseSink } from '../src/events/sinks/clickhouse/clickhouse-sink.ts';
import type { EventSink, OpenSink, SinkEvent } from '../src/events/sinks/event-sink.ts';
import { openFileSink } from '../src/events/sinks/file/file-sink.ts';
import { openKafkaSink } from '../src/events/sinks/kafka/kafka-sink.ts';
import { readEntries } from '../src/events/sinks/read-entries.ts';
import { toSinkEvent } from '../src/events/sinks/to-sink-event.ts';
import { hitText } from '../src/ledger/hit-text.ts';
import { createChance } from '../testkit/chance.ts';
import { openPrivateStores } from '../testkit/private-stores.ts';
import { familyCpuMicros } from '../testkit/process-cpu.ts';
import { hasChdb, startClickHouse } from '../testkit/start-clickhouse.ts';
import { hasKafka, startKafka } from '../testkit/start-kafka.ts';
import { storedEvents } from '../testkit/stored-events.ts';

/*
 * The figures of "Cost and sizing" in docs/sinks.md: CPU time of a replica for one event by sink, what a sink stores of it, and both for 10,000 ads a second.
 * Starts the stores that this machine has on this machine, and takes about two minutes on a quiet one:
 *
 *   CLICKHOUSE_PYTHON=… node scripts/front-door.mjs run bench/sink-cost.ts [events]
 */
const EVENTS = Number(process.argv[2] ?? 50_000);
const ROUNDS = 3;
/** Hits of one entry of a stream under load. */
const HITS_OF_ENTRY = 4;
const HITS_PER_SECOND = 6_000;
const SECONDS_PER_DAY = MS_PER_DAY / 1_000;
const { signal } = new AbortController();

const bookings = [1, 2, 3].map((publisherId) => ({
  ...{ publisherId, campaignId: publisherId, placementId: `slot-${publisherId}`, apiKey: '', timeZone: 'UTC' },
  ...{ lineItemIds: [1, 2, 3].map((n) => 10 * publisherId + n), creativeIds: [1, 2, 3].map((n) => 100 * publisherId + n) },
}));
const eventsOf = (round: number) =>
  storedEvents(bookings, { first: round * EVENTS, count: EVENTS, days: 0.02, nowMs: Date.now(), chance: createChance(round + 1) });
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);

interface Row {
  readonly name: string;
  /** Microseconds of one event, of this process and of the store where it runs as a child. */
  readonly micros: number;
  readonly storeMicros?: number | undefined;
  readonly bytes?: number | undefined;
}
const rows: Row[] = [];
/** The least of all rounds: what else runs on the machine adds to the others. */
const measure = async (
  name: string,
  work: (round: number) => unknown,
  options: { readonly pid?: number; readonly folder?: string } = {},
) => {
  const found: { readonly micros: number; readonly store: number }[] = [];
  const before = options.folder === undefined ? 0 : sizeOf(options.folder);
  for (let round = 0; round < ROUNDS; round++) {
    const [mine, store] = [process.cpuUsage(), options.pid === undefined ? 0 : familyCpuMicros(options.pid)];
    await work(round);
    const used = process.cpuUsage(mine);
    found.push({
      micros: (used.user + used.system) / EVENTS,
      store: ((options.pid === undefined ? 0 : familyCpuMicros(options.pid)) - store) / EVENTS,
    });
  }
  const bytes = options.folder === undefined ? undefined : (sizeOf(options.folder) - before) / (ROUNDS * EVENTS);
  const least = (of: 'micros' | 'store'): number => Math.min(...found.map((one) => one[of]));
  rows.push({ name, micros: least('micros'), storeMicros: options.pid === undefined ? undefined : least('store'), bytes });
  console.error(
    `${name}: ${found.map(({ micros, store }) => `${micros.toFixed(1)}${store > 0 ? ` and ${store.toFixed(1)} of its store` : ''}`).join(', ')} µs`,
  );
};

const stores = await openPrivateStores('sink-cost');
const ends: (() => Promise<unknown>)[] = [];
try {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => eventsOf(round));
  const entriesOf = rounds.map((events) =>
    Array.from({ length: EVENTS / HITS_OF_ENTRY }, (_, n): [string, string[]] => [
      `${Date.now()}-${n}`,
      events
        .slice(HITS_OF_ENTRY * n, HITS_OF_ENTRY * (n + 1))
        .flatMap(({ hit, atMs, billedMicros, reason }) => [
          ...['e', hitText(hit), 'at', String(atMs), 'billed', String(billedMicros)],
          ...(reason === hit.invalidReason ? [] : ['reason', reason]),
        ]),
    ]),
  );
  const sinkEvents: (readonly SinkEvent[])[] = [];
  await measure('reading it from an answer of Redis, once for each sink', (round) => {
    sinkEvents[round] = readEntries(entriesOf[round]!).map(({ event }) => toSinkEvent(event, { zone: 'UTC', advertiserId: 1 }, false));
  });
  const open = (opener: OpenSink, url: string): Promise<EventSink> =>
    opener({ name: 'bench', url: new URL(url), keepsUserHash: false, replica: 'bench', onNotice: () => undefined });
  const writeAll = (sink: EventSink) => async (round: number) => {
    const events = sinkEvents[round]!;
    for (let from = 0; from < events.length; from += sink.maxEvents)
      await sink.write({ shard: 0, id: `${round}-${from}`, events: events.slice(from, from + sink.maxEvents) }, signal);
  };
  const [lines, lake] = [path.join(stores.folder, 'lines'), path.join(stores.folder, 'lake')];
  const fileSinks = {
    lines: await open(openFileSink, `file://${lines}?format=ndjson`),
    lake: await open(openFileSink, `file://${lake}?gather=0`),
  };
  await measure('lines', writeAll(fileSinks.lines), { folder: lines });
  await fileSinks.lake.write({ shard: 1, id: 'first', events: sinkEvents[0]!.slice(0, 1) }, signal);
  await measure('lake', writeAll(fileSinks.lake), { folder: lake });
  if (hasChdb()) {
    const engine = await startClickHouse(path.join(stores.folder, 'clickhouse'));
    ends.push(() => engine.end('SIGKILL'));
    const { client, table } = await openClickHouse(new URL(engine.url));
    for (const query of clickHouseSchema(table, 4_000)) await client.command({ query });
    const sink = await open(openClickHouseSink, engine.url);
    await measure('ClickHouse (chDB)', writeAll(sink), { pid: engine.pid });
    await client.command({ query: `optimize table ${table} final` });
    const found = await client.query({
      query: `select sum(bytes_on_disk) / sum(rows) as bytes from system.parts where active and table = '${table}'`,
      format: 'JSONEachRow',
    });
    const [stored] = await found.json<{ readonly bytes: number }>();
    rows.push({ ...rows.pop()!, bytes: stored?.bytes });
    await Promise.all([client.close(), sink.close()]);
  } else console.error('ClickHouse was not measured: there is no chDB (CLICKHOUSE_PYTHON).');
  if (hasKafka()) {
    const folder = path.join(stores.folder, 'kafka');
    const broker = await startKafka({ folder, topics: ['ad-events'], partitions: 6 });
    ends.push(broker.kill);
    const sink = await open(openKafkaSink, `kafka://127.0.0.1:${broker.port}/ad-events`);
    await writeAll(sink)(0);
    const logs = path.join(folder, 'logs');
    const before = sizeOfTopic(logs);
    await measure('Kafka', writeAll(sink), { pid: broker.pid() });
    rows.push({ ...rows.pop()!, bytes: (sizeOfTopic(logs) - before) / (ROUNDS * EVENTS) });
    await sink.close();
  } else console.error('Kafka was not measured: it needs Java, Maven and Node 22.22.');
  const postgres = await stores.startPostgres();
  await migrateLatest(postgres.url);
  const knex = knexFactory({ client: 'pg', connection: postgres.url });
  const { rows: data } = await knex.raw<{ rows: { data_directory: string }[] }>('show data_directory');
  const pid = Number((await readFile(path.join(data[0]!.data_directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const store = createEventStore({ knex });
  await measure(
    'Postgres, a row each',
    async (round) => {
      for (let from = 0; from < EVENTS; from += 1_000) await store.append(rounds[round]!.slice(from, from + 1_000));
    },
    { pid },
  );
  const sized = await knex.raw<{ rows: { bytes: string }[] }>(
    `select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'events'::regclass`,
  );
  rows.push({ ...rows.pop()!, bytes: Number(sized.rows[0]?.bytes) / (ROUNDS * EVENTS) });
  await knex.destroy();

  const [reading] = rows;
  console.log(`Node ${process.versions.node}, the least of ${ROUNDS} rounds of ${EVENTS} events.\n`);
  console.log('| | CPU time of a replica | of the store | stored |\n|---|---:|---:|---:|');
  const micros = (value: number | undefined): string => (value === undefined ? '' : `${value.toFixed(0)} µs`);
  for (const row of rows)
    console.log(
      `| ${row.name} | ${micros(row.micros)} | ${micros(row.storeMicros)} | ${row.bytes === undefined ? '' : `${row.bytes.toFixed(0)} bytes`} |`,
    );
  console.log(`\nPer 10,000 ads a second, of which ${HITS_PER_SECOND} are seen and hit once; reading from Redis is in the cores:\n`);
  console.log('| | cores of replicas | cores of the store | stored a day |\n|---|---:|---:|---:|');
  const cores = (value: number | undefined): string => (value === undefined ? '' : ((value * HITS_PER_SECOND) / 1e6).toFixed(2));
  for (const row of rows.slice(1))
    console.log(
      `| ${row.name} | ${cores(row.micros + reading!.micros)} | ${cores(row.storeMicros)} | ${(((row.bytes ?? 0) * HITS_PER_SECOND * SECONDS_PER_DAY) / 1e9).toFixed(0)} GB |`,
    );
} finally {
  for (const end of ends) await end();
  await stores.stop();
}

function sizeOfTopic(logs: string): number {
  const files = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) => /^ad-events-\d+\/.*\.log$/.test(name));
  return files.reduce((sum, name) => sum + statSync(path.join(logs, name)).size, 0);
}
