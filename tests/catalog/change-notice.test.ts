import { Redis } from 'ioredis';
import { createChangeNotices } from '../../src/catalog/change-notice.ts';
import type { ChangeNotices } from '../../src/catalog/change-notice.ts';
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
  const received = { times: 0, availability: [] as boolean[] };
  const notices = createChangeNotices({
    connect: () => new Redis(at, { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => 20 }),
    name,
    pollIntervalMs,
    onAvailability: (available) => received.availability.push(available),
  });
  open.push(notices);
  await notices.start(() => void received.times++);
  return { notices, received };
};

const eventually = async (holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> => {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const subscribers = async (name: string): Promise<number> => Number((await redis.pubsub('NUMSUB', name))[1]);

test('every other replica receives an announcement once, and its sender does not', async () => {
  const replicas = await Promise.all([
    listen('once', { pollIntervalMs: 30 }),
    listen('once', { pollIntervalMs: 30 }),
    listen('once', { pollIntervalMs: 30 }),
  ]);
  await eventually(async () => (await subscribers('once')) === 3, 1000);
  await replicas[0].notices.announce();
  await eventually(() => replicas[1].received.times === 1 && replicas[2].received.times === 1, 1000);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(replicas.map(({ received }) => received.times)).toEqual([0, 1, 1]);
});

test('polling finds an announcement whose message was lost', async () => {
  const { received } = await listen('lost', { pollIntervalMs: 50 });
  await redis.incr('lost:version');
  await eventually(() => received.times === 1, 1000);
});

test('a new subscription finds announcements made while it was broken', async () => {
  const { received } = await listen('broken');
  await eventually(async () => (await subscribers('broken')) === 1, 1000);
  await redis.incr('broken:version');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await eventually(() => received.times === 1, 1000);
});

test('an emptied Redis counts as a change', async () => {
  await redis.set('emptied:version', 9);
  const { received } = await listen('emptied', { pollIntervalMs: 50 });
  await redis.del('emptied:version');
  await eventually(() => received.times === 1, 1000);
});

test('without Redis listening starts, the outage is reported once, and an announcement rejects', async () => {
  const { notices, received } = await listen('away', { at: 'redis://127.0.0.1:1', pollIntervalMs: 20 });
  await expect(notices.announce()).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(received).toEqual({ times: 0, availability: [false] });
});
