import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { openClickHouse } from '../../src/events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema } from '../../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { openClickHouseSink } from '../../src/events/sinks/clickhouse/clickhouse-sink.ts';
import type { EventSink, SinkCount } from '../../src/events/sinks/event-sink.ts';
import { openFileSink } from '../../src/events/sinks/file/file-sink.ts';
import { startClickHouse } from '../../testkit/start-clickhouse.ts';
import { startKafka } from './start-kafka.ts';

/** A sink of the proof: with the software that this machine has. */
export interface Target {
  readonly name: string;
  /** As in SINKS. */
  readonly url: string;
  /** Its sums of these days by line item, kind and state, without repeated events; and how many it has with them, where that is known. */
  read(days: readonly string[]): Promise<{ readonly sums: string; readonly written?: number }>;
  /** Makes it fail, until `mend`. */
  break?(): Promise<void>;
  mend?(): Promise<void>;
  end(): Promise<void>;
}

const TOPIC = 'ad-events';
/** Of the lake: it is to catch up soon. */
const GATHER_S = 5;
const KEEP_DAYS = 4_000;

export const textOf = (lines: readonly string[]): string => lines.toSorted().join('; ');

interface Line {
  readonly event_id: string;
  readonly version: number;
  readonly line_item_id: number;
  readonly kind: string;
  readonly state: string;
  readonly billed_micros: number;
}

/** Removes repeated events as docs/sinks.md says, and sums them by line item, kind and state. */
const sumsOf = (texts: readonly string[]): string => {
  const events = new Map<string, Line>();
  for (const text of texts) {
    const line = JSON.parse(text) as Line;
    if ((events.get(line.event_id)?.version ?? -1) < line.version) events.set(line.event_id, line);
  }
  return sumsOfCounts(
    [...events.values()].map((line) => ({ ...line, group: String(line.line_item_id), events: 1, micros: line.billed_micros })),
  );
};

const sumsOfCounts = (counts: readonly SinkCount[]): string => {
  const sums = new Map<string, [events: number, micros: number]>();
  for (const { group, kind, state, events, micros } of counts) {
    const key = `${group} ${kind} ${state}`;
    const [some, amount] = sums.get(key) ?? [0, 0];
    sums.set(key, [some + events, amount + micros]);
  }
  return textOf([...sums].map(([key, [count, micros]]) => `${key} ${count} ${micros}`));
};

const countedBy = async (sink: EventSink, days: readonly string[]): Promise<string> => {
  const { signal } = new AbortController();
  return sumsOfCounts((await Promise.all(days.map((day) => sink.count!(day, 'line_item_id', signal)))).flat());
};

const options = (name: string, url: string) => ({
  name,
  url: new URL(url),
  keepsUserHash: false,
  replica: 'proof',
  onNotice: () => undefined,
});

const lines = (folder: string): Target => ({
  name: 'lines',
  url: `file://${folder}?format=ndjson&name=lines`,
  read: async () => {
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ndjson'));
    // The last line of a replica that was killed may be cut off; another replica has written the whole.
    const texts = (await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))).flatMap((text) =>
      text.split('\n').slice(0, -1),
    );
    return { sums: sumsOf(texts), written: texts.length };
  },
  end: () => Promise.resolve(),
});

const lake = (folder: string): Target => {
  const url = `file://${folder}?name=lake&gather=${GATHER_S}`;
  return {
    name: 'lake',
    url,
    read: async (days) => ({ sums: await countedBy(await openFileSink(options('lake', url)), days) }),
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
  };
};

const clickHouse = async (folder: string): Promise<Target> => {
  const engine = await startClickHouse(folder);
  const { client, table } = await openClickHouse(new URL(engine.url));
  for (const query of clickHouseSchema(table, KEEP_DAYS)) await client.command({ query });
  await client.close();
  return {
    name: 'ClickHouse (chDB)',
    url: engine.url,
    read: async (days) => {
      const sink = await openClickHouseSink(options('clickhouse', engine.url));
      return { sums: await countedBy(sink, days).finally(() => sink.close()) };
    },
    end: engine.end,
  };
};

const kafka = async (folder: string): Promise<Target> => {
  const broker = await startKafka({ folder, topic: TOPIC, partitions: 6 });
  return {
    name: `Kafka ${broker.version}`,
    url: `kafka://127.0.0.1:${broker.port}/${TOPIC}`,
    read: async () => {
      const messages = await broker.readAll();
      return { sums: sumsOf(messages), written: messages.length };
    },
    break: broker.kill,
    mend: broker.start,
    end: broker.kill,
  };
};

const hasProgram = (name: string, ...args: readonly string[]): boolean => spawnSync(name, args).status === 0;
/** Its client needs Node 22.22. */
const hasKafka = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return (major > 22 || (major === 22 && minor >= 22)) && hasProgram('java', '-version') && hasProgram('mvn', '-v');
};
const hasChdb = (): boolean => hasProgram(process.env['CLICKHOUSE_PYTHON'] ?? 'python3', '-c', 'import chdb');

/** Lines and a lake; ClickHouse where there is chDB, Kafka where there are Java, Maven and the Node of its client. */
export const openTargets = async (folder: string): Promise<readonly Target[]> => [
  lines(path.join(folder, 'lines')),
  lake(path.join(folder, 'lake')),
  ...(hasChdb() ? [await clickHouse(path.join(folder, 'clickhouse'))] : []),
  ...(hasKafka() ? [await kafka(path.join(folder, 'kafka'))] : []),
];
