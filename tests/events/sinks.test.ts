import { once } from 'node:events';
import path from 'node:path';
import { Redis } from 'ioredis';
import knexFactory, { type Knex } from 'knex';
import { createEventWriter } from '../../src/events/event-writer.ts';
import { eventsStored } from '../../src/events/events-stored.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { SinkRefusal, type EventSink, type SinkCount } from '../../src/events/sinks/event-sink.ts';
import { compareSink } from '../../src/events/sinks/compare-sink.ts';
import { openFileSink } from '../../src/events/sinks/file/file-sink.ts';
import { createFillGaps } from '../../src/events/sinks/fill-gaps.ts';
import { createReconcileSinks } from '../../src/events/sinks/reconcile-sinks.ts';
import { createSinkDays } from '../../src/events/sinks/sink-days.ts';
import { createSinkDrain, type SinkDrain, type SinkDrainOptions } from '../../src/events/sinks/sink-drain.ts';
import { createSinkGaps } from '../../src/events/sinks/sink-gaps.ts';
import { createSinkMarks } from '../../src/events/sinks/sink-marks.ts';
import { createReadContexts } from '../../src/events/sinks/to-sink-event.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createReadUnstored } from '../../src/ledger/read/oldest-unstored.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf, fieldsOf, NOON } from './events.ts';

jest.setTimeout(90_000);

const DAY = '2026-06-15';
const link = { upOf: () => true };
const folder = temporaryFolder();
const signal = new AbortController().signal;
const started: { stop(): Promise<void> }[] = [];
let redis: Redis;
let knex: Knex;
let shardCount = 0;
let sinkCount = 0;

beforeAll(async () => {
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

const fileSink = (replica = 'first', to = ++sinkCount): Promise<EventSink> =>
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
const startRig = (names: readonly string[], shards = 1): Rig => {
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
const books = async (): Promise<readonly string[]> => {
  const { rows } = await knex.raw<{ rows: SinkCount[] }>(
    `select line_item_id::text as "group", kind, case invalid_reason when '' then 'net' else 'filtered' end as state,
       count(*)::int as events, sum(billed_micros)::int as micros from events where day = ? group by 1, 2, 3`,
    [DAY],
  );
  return sorted(rows);
};
const held = async (sink: EventSink) => sorted((await sink.count?.(DAY, 'line_item_id', signal)) ?? []);
const agrees = async (sink: EventSink, events: number) => {
  const [inBooks, inSink] = [await books(), await held(sink)];
  const sum = inBooks.reduce((total, one) => total + Number(one.split(' ').at(-2)), 0);
  return sum === events && inBooks.join() === inSink.join();
};
const hits = (count: number, lineItems = 3) =>
  Array.from({ length: count }, (_, i) => eventOf({ lineItemId: 1 + (i % lineItems) }, i % 5 === 0 ? { kind: 'click' } : {}));

test('several replicas share the shards of a sink; one dies after a write that it did not note, and nothing is lost or counted twice', async () => {
  const rig = startRig(['file'], 4);
  const [first, second, dead] = [await fileSink('first', 1_000), await fileSink('second', 1_000), await fileSink('dead', 1_000)];
  await rig.add(...hits(40));
  // It has shard 0, writes, and dies.
  let died = () => undefined as void;
  const death = new Promise<void>((resolve) => (died = resolve));
  const dying: EventSink = {
    ...dead,
    write: async (batch, write) => {
      await dead.write(batch, write);
      died();
      await once(write, 'abort');
      throw new Error('it died');
    },
  };
  const marks = createSinkMarks({ redis, keys: rig.keys, sinks: ['file'], replica: 'dead', holdMs: 300 });
  const abandoned = createSinkDrain({
    ...{
      redis,
      link,
      keys: rig.keys,
      marks: { ...marks, leave: () => Promise.resolve() },
      gaps: createSinkGaps({ knex }),
      deadEvents: createDeadEvents({ knex }),
    },
    ...{
      sinks: [{ sink: dying, keepsUserHash: false }],
      readContexts: createReadContexts(knex),
      replicas: () => 4,
      lagLimit: 1_000_000,
      lookMs: 3_600_000,
    },
    ...{ onWritten: () => undefined, onFailure: () => undefined, onSpilled: () => undefined, onDead: () => undefined },
  });
  abandoned.start();
  await death;
  await abandoned.stop();
  rig.drain([first], { replica: 'first', replicas: () => 2 });
  rig.drain([second], { replica: 'second', replicas: () => 2 });
  await rig.add(...hits(60));
  expect(await untilTrue(() => agrees(first, 100), PATIENCE_MS, 50)).toBeDefined();
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  const owners = await Promise.all([0, 1, 2, 3].map((shard) => redis.get(rig.keys.sinkOwner(shard, 'file'))));
  expect(owners.sort()).toEqual(['first', 'first', 'second', 'second']);
});

test('a sink that is away delays neither Postgres nor another sink, and its entries wait for it', async () => {
  const rig = startRig(['file', 'other']);
  const [file, other] = [await fileSink(), { ...(await fileSink()), name: 'other' }];
  let isAway = true;
  const faults: string[] = [];
  const failing: EventSink = { ...file, write: (...args) => (isAway ? Promise.reject(new Error('away')) : file.write(...args)) };
  rig.drain([failing, other], { onFailure: (sink, fault) => void faults.push(`${sink} ${fault.message}`) });
  await rig.add(...hits(30));
  expect(await untilTrue(() => agrees(other, 30), PATIENCE_MS, 20)).toBeDefined();
  await eventsStored(redis as never, rig.keys, Date.now);
  expect([await rig.waiting(), await held(file), [...new Set(faults)]]).toEqual([30, [], ['file away']]);
  isAway = false;
  expect(await untilTrue(() => agrees(file, 30), PATIENCE_MS, 20)).toBeDefined();
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
});

test('a sink too far behind passes over what waits, so that Redis holds no more, and the hours that it lacks are filled from Postgres', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  let isAway = true;
  const failing: EventSink = { ...file, write: (...args) => (isAway ? Promise.reject(new Error('away')) : file.write(...args)) };
  await rig.add(...hits(50));
  rig.drain([failing], { lagLimit: 40, spillAgeMs: 0 });
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  expect(await createSinkGaps({ knex }).open('file')).toEqual([expect.objectContaining({ day: DAY, hour: `${DAY}T12` })]);
  expect(await held(file)).toEqual([]);
  isAway = false;
  await rig.add(...hits(10));
  const { filled } = rig.fill(file);
  expect(await untilTrue(() => agrees(file, 60), PATIENCE_MS, 20)).toBeDefined();
  expect(await untilTrue(async () => (await createSinkGaps({ knex }).open('file')).length === 0, PATIENCE_MS, 20)).toBeDefined();
  expect(filled).toHaveLength(1);
});

test('an event that a sink refuses is a dead event of that sink, and the others of its batch arrive', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  const picky: EventSink = {
    ...file,
    write: (batch, write) =>
      batch.events.some(({ placement_id }) => placement_id === 'poison')
        ? Promise.reject(new SinkRefusal('too long'))
        : file.write(batch, write),
  };
  await rig.add(...hits(7), eventOf({ placementId: 'poison', tokenId: 'bad', lineItemId: 9 }), ...hits(6));
  rig.drain([picky]);
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  expect(await held(file)).toEqual((await books()).filter((one) => !one.startsWith('9 ')));
  const [dead, ...more] = await createDeadEvents({ knex }).read('0', 10);
  expect([dead?.source, dead?.reason, dead?.fields.join().includes('bad'), more]).toEqual(['sink:file', 'too long', true, []]);
});

test('a click under judgement and its judgement are one event, which is what it became', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  const click = eventOf({ tokenId: 'judged' }, { kind: 'click' });
  await rig.add({ ...click, reason: 'provisional', billedMicros: 0 });
  rig.drain([file]);
  expect(await untilTrue(async () => (await held(file)).join() === '3 click provisional 1 0', PATIENCE_MS, 20)).toBeDefined();
  await redis.xadd(rig.keys.events(0), '*', ...fieldsOf(click), 'judged', '1');
  expect(await untilTrue(() => agrees(file, 1), PATIENCE_MS, 20)).toBeDefined();
});

test('reconcile names what a sink lacks by line item, and hands it the hour again; the rest stays as it is', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  const configured = { sink: file, keepsUserHash: false };
  const compared = (dryRun: boolean) => compareSink(knex, configured, Date.parse(DAY) / 86_400_000, { dryRun, signal });
  // Stored before the sink was configured.
  await createEventStore({ knex }).append([
    eventOf({ lineItemId: 7 }, {}, NOON + 3_600_000),
    eventOf({ lineItemId: 7 }, {}, NOON + 3_600_001),
  ]);
  await rig.add(...hits(9));
  rig.drain([file]);
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  const lacks = {
    differences: [
      { lineItem: '7', kind: 'impression', state: 'net', stored: { events: 2, micros: 2_000 }, inSink: { events: 0, micros: 0 } },
    ],
    hours: [{ day: DAY, hour: `${DAY}T13` }],
  };
  expect(await compared(true)).toEqual({ ...lacks, replayed: 0 });
  expect(await compared(false)).toEqual({ ...lacks, replayed: 2 });
  expect(await compared(true)).toEqual({ differences: [], hours: [], replayed: 0 });
  expect(await agrees(file, 11)).toBe(true);
});

test('of two replicas one compares the last days of a sink, and again a day whose rows were changed', async () => {
  const file = await fileSink();
  const days = createSinkDays({ knex });
  const yesterdayMs = Date.now() - 86_400_000;
  const yesterday = new Date(yesterdayMs).toISOString().slice(0, 10);
  const store = createEventStore({ knex });
  const at = (hour: string) => Date.parse(`${yesterday}T${hour}:30:00Z`);
  await store.append([eventOf({ lineItemId: 7 }, {}, at('01')), eventOf({ lineItemId: 7 }, {}, at('02'))]);
  const compared: (readonly [day: string, hours: number, replayed: number])[] = [];
  for (let replica = 0; replica < 2; replica++) {
    const reconciler = createReconcileSinks({
      ...{ knex, sinks: [{ sink: file, keepsUserHash: false }], days, everyMs: 3_600_000, pauseMs: 20 },
      onCompared: (_sink, day, { hours, replayed }) => void compared.push([day, hours.length, replayed]),
      onFailure: (fault) => void compared.push([fault.message, 0, 0]),
    });
    reconciler.start();
    started.push(reconciler);
  }
  expect(await untilTrue(() => compared.length > 0, PATIENCE_MS, 20)).toBeDefined();
  expect(compared).toEqual([[yesterday, 2, 2]]);
  expect([await days.hoursBySink(), (await days.ageBySink())['file']! < 60]).toEqual([{ file: 2 }, true]);
  await days.changed(yesterday);
  expect(await untilTrue(() => compared.length > 1, PATIENCE_MS, 20)).toBeDefined();
  expect([compared, await days.hoursBySink()]).toEqual([
    [
      [yesterday, 2, 2],
      [yesterday, 0, 0],
    ],
    { file: 0 },
  ]);
});
