import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createChangeNotices } from '../../src/catalog/change-notice.ts';
import type { ChangeNotices } from '../../src/catalog/change-notice.ts';
import { eventually } from '../../testkit/until.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let redis: Redis;
let url: string;
const open: ChangeNotices[] = [];

beforeAll(async () => {
  url = await testRedisUrl();
  redis = new Redis(url);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((notices) => notices.close()));
});
afterAll(() => redis.disconnect());

/** A replica that listens, with the number of changes that it received. */
const listen = async (name: string, { pollIntervalMs = 60_000, at = url }: { pollIntervalMs?: number; at?: string } = {}) => {
  const received = { times: 0, losses: 0, epochs: [] as number[], availability: [] as boolean[] };
  const notices = createChangeNotices({
    connect: () => new Redis(at, { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => 20 }),
    name,
    pollIntervalMs,
    onAvailability: (available) => received.availability.push(available),
  });
  open.push(notices);
  notices.onEpoch = (scope) => received.epochs.push(scope);
  await notices.start(
    () => void received.times++,
    () => void received.losses++,
  );
  return { notices, received };
};

const subscribers = async (name: string): Promise<number> => Number((await redis.pubsub('NUMSUB', name))[1]);

test('every other replica receives an announcement once, and its sender does not', async () => {
  const replicas = await Promise.all([
    listen('once', { pollIntervalMs: 30 }),
    listen('once', { pollIntervalMs: 30 }),
    listen('once', { pollIntervalMs: 30 }),
  ]);
  await eventually(async () => expect(await subscribers('once')).toBe(3));
  await replicas[0].notices.announce();
  await eventually(() => expect(replicas.map(({ received }) => received.times)).toEqual([0, 1, 1]));
  await sleep(150);
  expect(replicas.map(({ received }) => received.times)).toEqual([0, 1, 1]);
});

test('a replica of another database of the same Redis receives nothing', async () => {
  const other = new URL(url);
  other.pathname = `/${Number(other.pathname.slice(1)) + 1}`;
  const [first, second, elsewhere] = await Promise.all([
    listen('apart'),
    listen('apart'),
    listen('apart', { at: other.href, pollIntervalMs: 30 }),
  ]);
  for (let i = 0; i < 3; i++) await first.notices.announce();
  await first.notices.announceEpoch(7);
  await eventually(() => expect(second.received).toMatchObject({ times: 3, epochs: [7] }));
  await sleep(150);
  expect(elsewhere.received).toMatchObject({ times: 0, losses: 0, epochs: [] });
});

test('polling finds an announcement whose message was lost', async () => {
  const { received } = await listen('lost', { pollIntervalMs: 50 });
  await redis.incr('lost:version');
  await eventually(() => expect(received.times).toBe(1));
});

test('a new subscription finds announcements made while it was broken', async () => {
  const { received } = await listen('broken');
  await eventually(async () => expect(await subscribers('broken')).toBe(1));
  await redis.incr('broken:version');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await eventually(() => expect(received.times).toBe(1));
});

test('a Redis that was emptied, or has older data, is not an announcement: it says that one may be lost', async () => {
  await redis.set('emptied:version', 9);
  const { received } = await listen('emptied', { pollIntervalMs: 50 });
  await redis.set('emptied:version', 7);
  await eventually(() => expect(received.losses).toBe(1));
  await redis.del('emptied:version');
  await eventually(() => expect(received.losses).toBe(2));
  expect(received.times).toBe(0);
});

test('every other replica is told of a scope that counts anew, which is no change of the catalog', async () => {
  const [sender, other] = await Promise.all([listen('epochs'), listen('epochs')]);
  await eventually(async () => expect(await subscribers('epochs')).toBe(2));
  await sender.notices.announceEpoch(3);
  await eventually(() => expect(other.received.epochs).toEqual([3]));
  expect([sender.received.epochs, other.received.times]).toEqual([[], 0]);
});

test('without Redis listening starts, the outage is reported once, and an announcement rejects', async () => {
  const { notices, received } = await listen('away', { at: 'redis://127.0.0.1:1', pollIntervalMs: 20 });
  await expect(notices.announce()).rejects.toThrow();
  await eventually(() => expect(received.availability).toEqual([false]));
  await sleep(100);
  expect(received).toEqual({ times: 0, losses: 0, epochs: [], availability: [false] });
});
