import { Redis } from 'ioredis';
import type { ServeCount } from '../../src/events/postgres/event-store.ts';
import { createTallyWriter } from '../../src/events/tally-writer.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { loadScript } from '../../src/redis/load-script.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const keys = createLedgerKeys(1);
const TODAY = Math.floor(Date.now() / 86_400_000);

let redis: Redis;
beforeAll(async () => {
  redis = new Redis(await testRedisUrl());
  // A script that adds serves with tally.lua.
  const script = path.join(temporaryFolder(), 'add.lua');
  const includes = ['call', 'tally'].map(
    (name) => `-- @include ${pathToFileURL(path.resolve(__dirname, `../../src/ledger/lua/${name}.lua`)).href}`,
  );
  const serve = `for i = 1, #ARGV do tally_add_serves(KEYS[1], ${TODAY}, '1:2:3:' .. ARGV[i], 1) end`;
  writeFileSync(script, [...includes, 'call_begin()', serve, 'tally_save()'].join('\n'));
  redis.defineCommand('addServes', { lua: loadScript(pathToFileURL(script)), numberOfKeys: 1 });
});
beforeEach(() => redis.flushdb());
afterAll(() => redis.disconnect());

const addServes = (...creatives: number[]) =>
  (redis as unknown as { addServes(key: string, ...creatives: number[]): Promise<void> }).addServes(keys.serves(0), ...creatives);

const replica = (onStore: () => Promise<void> = () => Promise.resolve()) => {
  const written: [creative: number, serves: number][] = [];
  const store = {
    recordServes: async (counts: readonly ServeCount[]) => {
      await onStore();
      written.push(...counts.map(({ creativeId, serves }) => [creativeId, serves] as [number, number]));
    },
  };
  const writer = createTallyWriter({ redis, keys, store, bury: () => Promise.reject(new Error('refused')) });
  return { flush: () => writer.flush(0), writer, taken: () => written.splice(0).toSorted(([a], [b]) => a - b) };
};

test('of 20,000 creatives and two replicas, each changed count is written once and an unchanged one never', async () => {
  const [one, other] = [replica(), replica()];
  for (let from = 0; from < 20_000; from += 1_000) await addServes(...Array.from({ length: 1_000 }, (_, i) => from + i));
  await one.flush();
  expect(one.taken()).toHaveLength(20_000);
  for (const each of [one, other, one]) await each.flush();
  expect([one.taken(), other.taken()]).toEqual([[], []]);

  await addServes(7, 7, 8);
  await other.flush();
  await one.flush();
  expect([one.taken(), other.taken()]).toEqual([
    [],
    [
      [7, 3],
      [8, 2],
    ],
  ]);
  expect(await redis.exists(keys.changedServes(0))).toBe(0);
});

test('a serve during the flush, or a flush that fails, is written by the next flush', async () => {
  await addServes(1, 2);
  const during = replica(async () => void (await addServes(1)));
  await during.flush();
  expect(during.taken()).toEqual([
    [1, 1],
    [2, 1],
  ]);
  const failing = replica(() => Promise.reject(new Error('away')));
  await expect(failing.flush()).rejects.toThrow('away');
  const next = replica();
  await next.flush();
  expect(next.taken()).toEqual([[1, 2]]);
});

test('fields of days before yesterday are deleted once they are copied, and each key has a time to live', async () => {
  const field = `${TODAY - 3}:1:2:3:4`;
  await redis.hset(keys.serves(0), field, 5);
  await redis.sadd(keys.changedServes(0), field);
  await addServes(9);
  for (const key of [keys.serves(0), keys.changedServes(0)]) expect(await redis.ttl(key)).toBeGreaterThan(0);
  const { writer, taken } = replica();
  await writer.tick(0, Date.now());
  expect(taken()).toEqual([
    [4, 5],
    [9, 1],
  ]);
  expect(await redis.hkeys(keys.serves(0))).toEqual([`${TODAY}:1:2:3:9`]);
});
