import { createClockOffset } from '../../src/redis/clock-offset.ts';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import { createRedisLink, type ProbedRedisLink, type RedisLinkOptions } from '../../src/redis/redis-link.ts';
import { eventually } from '../../testkit/until.ts';
import { startRedisServer, type RedisServer } from '../replicas/start-redis-server.ts';
import { atEnd } from '../setup/at-end.ts';

const KEY = 'ads:{0}:claim';
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
beforeEach(() => server.client.flushall());

const createLink = (options: Partial<RedisLinkOptions> = {}): ProbedRedisLink => {
  const redis = createRedisClient({ urls: [server.url], commandTimeoutMs: 1_000, name: 'test' });
  const link = createRedisLink({ redis, claimKeys: [KEY, 'ads:{1}:claim'], probeMs: 20, ...options });
  atEnd(() => {
    link.stop();
    redis.disconnect();
  });
  return link;
};
const isUp = (link: ProbedRedisLink, up: boolean): Promise<void> => eventually(() => expect([link.up, link.upOf(1)]).toEqual([up, up]));

test('is down before it is opened and up afterwards', async () => {
  const link = createLink();
  expect(link.up).toBe(false);
  await link.open('one');
  await isUp(link, true);
  expect(link.roundTripSeconds).toBeGreaterThan(0);
});

test.each([
  ['whose memory is full', 'maxmemory', '1', '0'],
  ['without enough replicas', 'min-replicas-to-write', '1', '0'],
])('a server %s answers PING but is down until it takes writes again', async (_, setting, refusing, accepting) => {
  const link = createLink();
  await link.open('one');
  await isUp(link, true);
  await server.client.config('SET', setting, refusing);
  await isUp(link, false);
  expect(link.roundTripSeconds).toBeNaN();
  expect(await server.client.ping()).toBe('PONG');
  await server.client.config('SET', setting, accepting);
  await isUp(link, true);
});

describe('the claim', () => {
  it('is written with an end, and again after Redis was emptied', async () => {
    await createLink().open('one');
    await server.client.flushall();
    await eventually(async () => expect(await server.client.get(KEY)).toBe('one'));
    expect(await server.client.pttl(KEY)).toBeGreaterThan(0);
  });

  it('of another installation is kept, and its link stays down', async () => {
    const [first, second] = [createLink(), createLink()];
    await first.open('one');
    await expect(second.open('two')).rejects.toThrow('Redis holds the counters of one; this replica is of two');
    await isUp(first, true);
    await isUp(second, false);
    expect(await server.client.get(KEY)).toBe('one');
  });

  it('of another installation does not stop a link that is open, which reports it', async () => {
    const link = createLink();
    await link.open('one');
    await server.client.set(KEY, 'two');
    await eventually(() => expect(link.foreignClaim).toBe('two'));
    await isUp(link, true);
    await server.client.del(KEY);
    await eventually(() => expect(link.foreignClaim).toBeUndefined());
  });
});

describe("Redis's clock", () => {
  it('is known within the round trip, however wrong the own clock is, and after that is set', async () => {
    let aheadMs = 61_000;
    const link = createLink({ now: () => Date.now() + aheadMs });
    expect(link.nowMs(0) - Date.now()).toBeGreaterThan(60_000);
    expect(link.clockOffsetMs).toBeNaN();
    await link.open('one');
    expect(Math.abs(link.nowMs(1) - Date.now())).toBeLessThan(500);
    expect(Math.abs(link.clockOffsetMs + aheadMs)).toBeLessThan(500);
    aheadMs = -3_600_000;
    await eventually(() => expect(Math.abs(link.nowMs(1) - Date.now())).toBeLessThan(500));
  });

  it('is estimated from the readings that bound it best', () => {
    const offset = createClockOffset();
    const note = (offsetMs: number, requestMs: number, replyMs: number): number => {
      offset.note(1_000 + requestMs + offsetMs, 1_000, 1_000 + requestMs + replyMs);
      return offset.ms;
    };
    expect(offset.ms).toBeNaN();
    // The reply was delayed: the first estimate is wrong by half of the delay.
    expect(note(70, 1, 201)).toBe(-30);
    expect(note(70, 1, 1)).toBe(69);
    // A slow reading that agrees changes nothing.
    expect(note(70, 500, 1)).toBe(69);
    // The clock is set.
    expect(Math.abs(note(-5_000, 1, 1) + 5_000)).toBeLessThanOrEqual(1);
    // This process's clock was set back during the call: the reading says nothing.
    offset.note(2_000, 1_000, 500);
    expect(Math.abs(offset.ms + 5_000)).toBeLessThanOrEqual(1);
  });
});
