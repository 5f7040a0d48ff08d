import { once } from 'node:events';
import { eventsStored } from '../../src/events/events-stored.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { compareSink } from '../../src/events/sinks/compare-sink.ts';
import type { EventSink } from '../../src/events/sinks/event-sink.ts';
import { createReconcileSinks } from '../../src/events/sinks/reconcile-sinks.ts';
import { createSinkDays } from '../../src/events/sinks/sink-days.ts';
import { createSinkDrain } from '../../src/events/sinks/sink-drain.ts';
import { createSinkGaps } from '../../src/events/sinks/sink-gaps.ts';
import { createSinkMarks } from '../../src/events/sinks/sink-marks.ts';
import { createReadContexts } from '../../src/events/sinks/to-sink-event.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { eventOf, fieldsOf, NOON } from './events.ts';
import {
  agrees,
  books,
  DAY,
  fileSink,
  held,
  hits,
  knex,
  link,
  redis,
  refusingPoison,
  signal,
  started,
  startRig,
} from './sinks/sink-rig.ts';

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
  const picky = refusingPoison(file);
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
