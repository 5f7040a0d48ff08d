import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openClickHouse } from '../../src/events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema, decisionsTable } from '../../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { openClickHouseSink } from '../../src/events/sinks/clickhouse/clickhouse-sink.ts';
import type { SinkCount } from '../../src/events/sinks/event-sink.ts';
import { BUCKET_CREDENTIALS, startBucket } from '../../testkit/start-bucket.ts';
import { hasChdb, startClickHouse } from '../../testkit/start-clickhouse.ts';
import { hasKafka, startKafka } from '../../testkit/start-kafka.ts';
import { askDuckDb } from './ask-duckdb.ts';
import { copyLake } from './copy-lake.ts';
import { linesOf, parquetRows, type DecisionText } from './read-decisions.ts';

/** A sink of the proof: with the software that this machine has. */
export interface Target {
  readonly name: string;
  /** As in SINKS. */
  readonly url: string;
  /** Its sums of these days by line item, kind and state, without repeated events; and how many it has with them, where that is known. */
  read(days: readonly string[]): Promise<{ readonly counts: readonly SinkCount[]; readonly written?: number }>;
  /** The sampled decisions that it has. */
  decisions(): Promise<readonly DecisionText[]>;
  /** Makes it fail, until `mend`. */
  break?(): Promise<void>;
  mend?(): Promise<void>;
  end(): Promise<void>;
}

const TOPICS = { events: 'ad-events', decisions: 'ad-decisions' } as const;
/** Of a lake: it is to catch up soon. */
const GATHER_S = 5;
const KEEP_DAYS = 4_000;

const lines = (folder: string): Target => ({
  name: 'lines',
  url: `file://${folder}?format=ndjson&name=lines`,
  read: () => askDuckDb('lines', `${folder}/day=*/*.ndjson`),
  decisions: () => linesOf(`${folder}/decisions`),
  end: () => Promise.resolve(),
});

const lake = (folder: string): Target => ({
  name: 'lake in a folder',
  url: `file://${folder}?name=lake&gather=${GATHER_S}`,
  read: () => askDuckDb('parquet', `${folder}/events/*/*/*.parquet`),
  decisions: () => parquetRows(`${folder}/decisions`),
  // A folder that cannot be written, also for root.
  break: async () => {
    mkdirSync(folder, { recursive: true });
    renameSync(folder, `${folder}-aside`);
    writeFileSync(folder, '');
  },
  mend: async () => {
    rmSync(folder);
    renameSync(`${folder}-aside`, folder);
  },
  end: () => Promise.resolve(),
});

const bucket = async (folder: string): Promise<Target> => {
  const server = await startBucket(path.join(folder, 'objects'));
  // For this process, which reads it; replicas have them from the proof.
  Object.assign(process.env, BUCKET_CREDENTIALS);
  const url = server.urlOf('ads');
  const copy = path.join(folder, 'copy');
  return {
    name: 'lake in a bucket',
    url: `${url}&name=bucket&gather=${GATHER_S}`,
    read: async () => {
      await copyLake(url, 'events', copy);
      return askDuckDb('parquet', `${copy}/events/*/*/*.parquet`);
    },
    decisions: async () => {
      await copyLake(url, 'decisions', copy);
      return parquetRows(`${copy}/decisions`);
    },
    break: server.refuse,
    mend: server.admit,
    end: server.end,
  };
};

const clickHouse = async (folder: string): Promise<Target> => {
  const engine = await startClickHouse(folder);
  const { client, table } = await openClickHouse(new URL(engine.url));
  for (const query of clickHouseSchema(table, KEEP_DAYS)) await client.command({ query });
  const { signal } = new AbortController();
  return {
    name: 'ClickHouse (chDB)',
    url: engine.url,
    read: async (days) => {
      const options = { name: 'clickhouse', url: new URL(engine.url), keepsUserHash: false, replica: 'proof' };
      const sink = await openClickHouseSink({ ...options, onNotice: () => undefined });
      const counts = await Promise.all(days.map((day) => sink.count!(day, 'line_item_id', signal)));
      await sink.close();
      return { counts: counts.flat() };
    },
    decisions: async () => {
      const found = await client.query({ query: `select * from ${decisionsTable(table)}`, format: 'JSONEachRow' });
      return found.json<DecisionText>();
    },
    end: async () => {
      await client.close();
      await engine.end('SIGKILL');
    },
  };
};

const kafka = async (folder: string): Promise<Target> => {
  const broker = await startKafka({ folder, topics: Object.values(TOPICS), partitions: 6 });
  const read = async (topic: string): Promise<string> => {
    const file = path.join(folder, 'read', `${topic}.ndjson`);
    mkdirSync(path.dirname(file), { recursive: true });
    await broker.readAll(topic, file);
    return file;
  };
  return {
    name: `Kafka ${broker.version} by TLS`,
    url: `${broker.urlOf(TOPICS.events)}&decisions=${TOPICS.decisions}`,
    read: async () => askDuckDb('lines', await read(TOPICS.events)),
    decisions: async () => linesOf(await read(TOPICS.decisions)),
    break: broker.kill,
    mend: broker.start,
    end: broker.kill,
  };
};

/** Lines, a lake in a folder and one in a bucket; ClickHouse where there is chDB, Kafka where there are Java, Maven and the Node of its client. */
export const openTargets = async (folder: string): Promise<readonly Target[]> => [
  lines(path.join(folder, 'lines')),
  lake(path.join(folder, 'lake')),
  await bucket(path.join(folder, 'bucket')),
  ...(hasChdb() ? [await clickHouse(path.join(folder, 'clickhouse'))] : []),
  ...(hasKafka() ? [await kafka(path.join(folder, 'kafka'))] : []),
];

/** The settings of replicas that hand events to these. */
export const sinksOf = (targets: readonly Target[]): string => targets.map(({ url }) => url).join(' ');
