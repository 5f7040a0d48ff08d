import path from 'node:path';
import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { createEventWriter } from '../../../src/events/event-writer.ts';
import { createDeadEvents } from '../../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../../src/events/postgres/event-store.ts';
import type { StoredEvent } from '../../../src/events/postgres/stored-event.ts';
import { SinkRefusal, type EventSink, type SinkCount } from '../../../src/events/sinks/event-sink.ts';
import { openFileSink } from '../../../src/events/sinks/file/file-sink.ts';
import { createFillGaps } from '../../../src/events/sinks/fill-gaps.ts';
import { createSinkDrain, type SinkDrain, type SinkDrainOptions } from '../../../src/events/sinks/sink-drain.ts';
import { createSinkGaps } from '../../../src/events/sinks/sink-gaps.ts';
import { createSinkMarks } from '../../../src/events/sinks/sink-marks.ts';
import { createReadContexts } from '../../../src/events/sinks/to-sink-event.ts';
import { createLedgerKeys } from '../../../src/ledger/ledger-keys.ts';
import { createReadUnstored } from '../../../src/ledger/read/oldest-unstored.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';
import { eventOf, fieldsOf } from '../events.ts';

export const DAY = '2026-06-15';
export const link = { upOf: () => true };
export const signal = new AbortController().signal;
export const started: { stop(): Promise<void> }[] = [];
let folder: string;
export let redis: Redis;
export let knex: Knex;
let shardCount = 0;
let sinkCount = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  redis = new Redis(await testRedisUrl());
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
beforeEach(() => Promise.all([redis.flushdb(), knex('events').delete(), knex('event_batches').delete(), knex('dead_events').delete()]));
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

export const fileSink = (replica = 'first', to = ++sinkCount): Promise<EventSink> =>
  openFileSink({
    ...{ name: 'file', url: new URL(`file://${path.join(folder, String(to))}?format=ndjson`), keepsUserHash: false, replica },
    onNotice: () => undefined,
  });

interface Rig {
  readonly add: (...events: readonly StoredEvent[]) => Promise<void>;
  readonly waiting: () => Promise<number>;
  readonly drain: (sinks: readonly EventSink[], options?: Partial<SinkDrainOptions> & { readonly replica?: string }) => SinkDrain;
  readonly fill: (sink: EventSink) => { readonly filled: number[] };
  readonly keys: ReturnType<typeof createLedgerKeys>;
}

/** Events are stored in Postgres from the beginning; sinks start with `drain`. */
export const startRig = (names: readonly string[], shards = 1): Rig => {
  const keys = createLedgerKeys(shards);
  const marksOf = (replica: string) => createSinkMarks({ redis, keys, sinks: names, replica, holdMs: 5_000 });
  const writer = createEventWriter({
    ...{ redis, link, keys, store: createEventStore({ knex }), deadEvents: createDeadEvents({ knex }), consumer: 'writer', idleMs: 10 },
    ...{ finish: marksOf('writer').finish, onFailure: () => undefined, onDead: () => undefined },
  });
  writer.start();
  started.push(writer);
  return {
    keys,
    add: async (...events) => {
      for (const event of events) await redis.xadd(keys.events(shardCount++ % shards), '*', ...fieldsOf(event));
    },
    waiting: async () =>
      (await Promise.all(Array.from({ length: shards }, (_, shard) => redis.xlen(keys.events(shard))))).reduce((a, b) => a + b),
    drain: (sinks, { replica = 'first', ...options } = {}) => {
      const drain = createSinkDrain({
        ...{ redis, link, keys, marks: marksOf(replica), gaps: createSinkGaps({ knex }), deadEvents: createDeadEvents({ knex }) },
        ...{ sinks: sinks.map((sink) => ({ sink, keepsUserHash: false })), readContexts: createReadContexts(knex), replicas: () => 1 },
        ...{ lagLimit: 1_000_000, idleMs: 20, lookMs: 50, retryMs: 20 },
        ...{ onWritten: () => undefined, onFailure: () => undefined, onSpilled: () => undefined, onDead: () => undefined },
        ...options,
      });
      drain.start();
      started.push(drain);
      return drain;
    },
    fill: (sink) => {
      const filled: number[] = [];
      const filler = createFillGaps({
        ...{
          knex,
          sinks: [{ sink, keepsUserHash: false }],
          gaps: createSinkGaps({ knex }),
          readUnstored: createReadUnstored({ redis, keys }),
        },
        ...{
          pauseMs: 20,
          onFilled: (_sink, _hour, events) => void filled.push(events),
          onLost: () => undefined,
          onFailure: () => undefined,
        },
      });
      filler.start();
      started.push(filler);
      return { filled };
    },
  };
};

const sorted = (counts: readonly SinkCount[]) =>
  counts.map(({ group, kind, state, events, micros }) => [group, kind, state, events, micros].join(' ')).sort();
/** The sums of the event rows by line item, as a sink gives its own. */
export const books = async (): Promise<readonly string[]> => {
  const { rows } = await knex.raw<{ rows: SinkCount[] }>(
    `select line_item_id::text as "group", kind, case invalid_reason when '' then 'net' else 'filtered' end as state,
       count(*)::int as events, sum(billed_micros)::int as micros from events where day = ? group by 1, 2, 3`,
    [DAY],
  );
  return sorted(rows);
};
export const held = async (sink: EventSink) => sorted((await sink.count?.(DAY, 'line_item_id', signal)) ?? []);
export const agrees = async (sink: EventSink, events: number) => {
  const [inBooks, inSink] = [await books(), await held(sink)];
  const sum = inBooks.reduce((total, one) => total + Number(one.split(' ').at(-2)), 0);
  return sum === events && inBooks.join() === inSink.join();
};
export const hits = (count: number, lineItems = 3) =>
  Array.from({ length: count }, (_, i) => eventOf({ lineItemId: 1 + (i % lineItems) }, i % 5 === 0 ? { kind: 'click' } : {}));

/** A sink that refuses each batch with an event of the placement `poison`. */
export const refusingPoison = (sink: EventSink): EventSink => ({
  ...sink,
  write: (batch, write) =>
    batch.events.some(({ placement_id }) => placement_id === 'poison')
      ? Promise.reject(new SinkRefusal('too long'))
      : sink.write(batch, write),
});
