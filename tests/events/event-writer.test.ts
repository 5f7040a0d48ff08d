import { Redis } from 'ioredis';
import { EVENT_GROUP } from '../../src/ledger/read/event-group.ts';
import { createEventWriter, type EventWriter, type EventWriterOptions } from '../../src/events/event-writer.ts';
import { createStreamConsumer } from '../../src/redis/stream-consumer.ts';
import type { EventStore } from '../../src/events/postgres/event-store.ts';
import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { eventOf } from './events.ts';
import { dayOf } from '../../src/base/utc-day.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const keys = createLedgerKeys(1);
const STREAM = keys.events(0);
let redis: Redis;
let writer: EventWriter | undefined;

beforeAll(async () => {
  redis = new Redis(await testRedisUrl());
});
beforeEach(() => redis.flushdb());
afterEach(async () => {
  await writer?.stop();
  writer = undefined;
});
afterAll(() => redis.disconnect());

const start = (
  options: Partial<EventWriterOptions> & { readonly append: EventStore['append']; readonly recordServes?: EventStore['recordServes'] },
): void => {
  const { append, recordServes = () => Promise.resolve(), ...others } = options;
  const store = { append, recordServes };
  const failures = { onFailure: () => undefined, onDead: () => undefined, deadEvents: { add: () => Promise.resolve() } };
  const link = { upOf: () => true };
  writer = createEventWriter({ redis, link, keys, store, consumer: 'this', idleMs: 10, flushMs: 50, ...failures, ...others });
  writer.start();
};
const add = (tokenId: string) => redis.xadd(STREAM, '*', 'e', hitText(eventOf({ tokenId }).hit), 'at', 1, 'billed', 2);
/** Serves of today that wait to be copied. */
const addServes = async (serves: number): Promise<void> => {
  const ofToday = `${dayOf(Date.now())}:1:2:3:4`;
  await redis.hset(keys.serves(0), ofToday, serves);
  await redis.sadd(keys.changedServes(0), ofToday);
};
const isEmpty = async () => (await redis.xlen(STREAM)) === 0;

test('retries entries that Postgres refused before new ones, without waiting until they can be claimed', async () => {
  const stored: string[] = [];
  let away = true;
  start({
    claimAfterMs: 3_600_000,
    append: (events: readonly StoredEvent[]) => {
      if (away) return Promise.reject(new Error('Postgres is away'));
      stored.push(...events.map(({ hit }) => hit.ad.tokenId));
      return Promise.resolve(events.length);
    },
  });
  await add('first');
  await untilTrue(async () => ((await redis.xpending(STREAM, EVENT_GROUP).catch(() => [0]))[0] as number) > 0, PATIENCE_MS, 10);
  await add('second');
  away = false;
  expect(await untilTrue(isEmpty, PATIENCE_MS, 10)).toBeDefined();
  expect(stored).toEqual(['first', 'second']);
});

test('an event that Postgres refuses for a time delays the events of other shards once, not each time it is tried again', async () => {
  const shards = createLedgerKeys(2);
  const addTo = (shard: number, tokenId: string) =>
    redis.xadd(shards.events(shard), '*', 'e', hitText(eventOf({ tokenId }).hit), 'at', 1, 'billed', 2);
  const tries: string[][] = [];
  start({
    keys: shards,
    idleMs: 300,
    claimAfterMs: 50,
    append: (events) => {
      const tokens = events.map(({ hit }) => hit.ad.tokenId).toSorted();
      tries.push(tokens);
      return tokens.includes('refused') ? Promise.reject(new Error('no space left on device')) : Promise.resolve(events.length);
    },
  });
  await addTo(0, 'refused');
  for (let i = 0; i < 6; i++) {
    await addTo(1, `other-${i}`);
    expect(await untilTrue(async () => (await redis.xlen(shards.events(1))) === 0, PATIENCE_MS, 10)).toBeDefined();
  }
  expect(tries.filter((tokens) => tokens.includes('refused')).length).toBeGreaterThan(1);
  expect(tries.filter((tokens) => tokens.includes('refused') && tokens.length > 1).length).toBeLessThanOrEqual(1);
});

test('the serves of a shard are copied also while Postgres refuses one of its events for a time', async () => {
  const serves: number[] = [];
  start({
    append: () => Promise.reject(new Error('no space left on device')),
    recordServes: (counts) => {
      serves.push(...counts.map((count) => count.serves));
      return Promise.resolve();
    },
  });
  await add('refused');
  await untilTrue(async () => ((await redis.xpending(STREAM, EVENT_GROUP).catch(() => [0]))[0] as number) > 0, PATIENCE_MS, 10);
  await addServes(17);
  expect(await untilTrue(() => Promise.resolve(serves.length > 0), PATIENCE_MS, 10)).toBeDefined();
  expect(serves).toEqual([17]);
});

test('of a pass in which Postgres refuses both the events and the serves of a shard, both faults are reported', async () => {
  const reasons = new Set<string>();
  await addServes(17);
  await add('refused');
  start({
    append: () => Promise.reject(new Error('no room for events')),
    recordServes: () => Promise.reject(new Error('no room for serves')),
    onFailure: ({ message }) => reasons.add(message),
  });
  expect(await untilTrue(() => reasons.size === 2, PATIENCE_MS, 10)).toBeDefined();
});

test('takes over entries of a replica that crashed', async () => {
  const stored: string[] = [];
  await redis.xgroup('CREATE', STREAM, EVENT_GROUP, '0', 'MKSTREAM');
  await add('orphan');
  await redis.xreadgroup('GROUP', EVENT_GROUP, 'dead', 'STREAMS', STREAM, '>');
  start({
    claimAfterMs: 30,
    append: (events) => {
      stored.push(...events.map(({ hit }) => hit.ad.tokenId));
      return Promise.resolve(events.length);
    },
  });
  expect(await untilTrue(isEmpty, PATIENCE_MS, 10)).toBeDefined();
  expect(stored).toEqual(['orphan']);
});

test('carries all that waits when it stops, also what it has failed to store before, and more than one read holds', async () => {
  const stored: string[] = [];
  let failures = 0;
  start({
    append: (events) => {
      if (failures === 0) return Promise.reject(new Error('Postgres is away'));
      stored.push(...events.map(({ hit }) => hit.ad.tokenId));
      return Promise.resolve(events.length);
    },
    onFailure: () => failures++,
  });
  const waiting = Array.from({ length: 350 }, (_, n) => `waiting-${n}`);
  await add(waiting[0]!);
  expect(await untilTrue(() => failures > 0, PATIENCE_MS, 10)).toBeDefined();
  await Promise.all(waiting.slice(1).map(add));
  await writer!.stop();
  expect(stored).toEqual(waiting);
});

test('stops within its time while more events arrive than it stores', async () => {
  let stored = 0;
  start({
    handOverMs: 100,
    append: async (events) => {
      stored += events.length;
      await Promise.all(Array.from({ length: 600 }, (_, n) => add(`after-${stored}-${n}`)));
      return events.length;
    },
  });
  await add('first');
  expect(await untilTrue(() => stored > 1_000, PATIENCE_MS, 10)).toBeDefined();
  await writer!.stop();
  expect(await redis.xlen(STREAM)).toBeGreaterThan(0);
});

test('creates the group again after Redis was emptied, and continues', async () => {
  let stored = 0;
  start({ append: (events) => Promise.resolve((stored += events.length)) });
  await add('before');
  expect(await untilTrue(isEmpty, PATIENCE_MS, 10)).toBeDefined();
  await redis.flushdb();
  await add('after');
  expect(await untilTrue(async () => stored === 2 && (await isEmpty()), PATIENCE_MS, 10)).toBeDefined();
});

test('removes inactive consumers from the group, unless they hold entries', async () => {
  const consumer = createStreamConsumer({ redis, group: EVENT_GROUP, name: 'this', keyTtlS: 60 });
  expect(await consumer.retireOthers(STREAM, 0)).toBe(0);
  await consumer.fresh(STREAM, 10);
  await add('held');
  await redis.xreadgroup('GROUP', EVENT_GROUP, 'holding', 'STREAMS', STREAM, '>');
  await redis.xgroup('CREATECONSUMER', STREAM, EVENT_GROUP, 'silent');
  await new Promise((resolve) => setTimeout(resolve, 60));
  await add('taken');
  await consumer.fresh(STREAM, 10);
  expect(await consumer.retireOthers(STREAM, 50)).toBe(1);
  const members = (await redis.xinfo('CONSUMERS', STREAM, EVENT_GROUP)) as string[][];
  expect(members.map((fields) => fields[1]).toSorted()).toEqual(['holding', 'this']);
});
