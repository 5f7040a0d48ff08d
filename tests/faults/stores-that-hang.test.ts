import { startFaultProxy, type FaultProxy } from '../../testkit/start-fault-proxy.ts';
import { PATIENCE_MS, untilTrue } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const MAX_ANSWER_MS = 5_000;

let postgres: FaultProxy;
let redis: FaultProxy;
let replica: Replica;

beforeAll(async () => {
  postgres = await startFaultProxy(await testDatabase());
  atEnd(() => postgres.close());
  redis = await startFaultProxy(await testRedisUrl());
  atEnd(() => redis.close());
  replica = await startReplica({ env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url, REDIS_TIMEOUT: '100ms' } });
});

/** POST /reload: its status, and whether it answered in time. */
const reload = async (): Promise<readonly [number, boolean]> => {
  const begunAt = performance.now();
  const { status } = await fetch(`${replica.url}/reload`, { method: 'POST' });
  return [status, performance.now() - begunAt <= MAX_ANSWER_MS];
};
const reloads = async (): Promise<boolean> => (await reload())[0] === 204;

test('POST /reload answers 503 within 5 s while Postgres hangs, also when called repeatedly, and 204 afterwards', async () => {
  expect(await reload()).toEqual([204, true]);
  postgres.set({ kind: 'blackhole' });
  expect(await Promise.all([reload(), reload()])).toEqual([
    [503, true],
    [503, true],
  ]);
  expect((await fetch(`${replica.url}/ready`)).status).toBe(200);
  postgres.set({ kind: 'pass' });
  expect(await untilTrue(reloads, PATIENCE_MS)).toBeDefined();
});

test('POST /reload answers 204 within 5 s while Redis hangs', async () => {
  redis.set({ kind: 'blackhole' });
  expect(await reload()).toEqual([204, true]);
  redis.set({ kind: 'pass' });
});

test('all that it logs while its stores fail are lines of JSON, and none has a stack', async () => {
  redis.set({ kind: 'reset' });
  postgres.set({ kind: 'blackhole' });
  expect(await untilTrue(() => replica.logs().includes('KnexTimeoutError'), PATIENCE_MS)).toBeDefined();
  postgres.set({ kind: 'reset' });
  expect((await reload())[0]).toBe(503);
  for (const store of [redis, postgres]) store.set({ kind: 'pass' });
  expect(await untilTrue(reloads, PATIENCE_MS)).toBeDefined();
  // Beside it a first start says how to make the first administrator.
  const isExpected = (line: string): boolean => /^\{|first administrator|\/sign-in\.html#/.test(line);
  expect(
    replica
      .logs()
      .trimEnd()
      .split('\n')
      .filter((line) => !isExpected(line) || /(?:file|node):\S+:\d+:\d+/.test(line)),
  ).toEqual([]);
});
