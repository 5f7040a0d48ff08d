import { Redis } from 'ioredis';
import { defineFunction } from '../../src/redis/define-function.ts';
import { openPrivateStores, type PrivateStores } from '../../testkit/private-stores.ts';

// Libraries belong to a server, so these tests have one of their own.
let stores: PrivateStores;
let redis: Redis;
beforeAll(async () => {
  stores = await openPrivateStores('functions');
  redis = new Redis((await stores.startRedis()).url);
});
afterAll(async () => {
  redis.disconnect();
  await stores.stop();
});
beforeEach(() => redis.function('FLUSH'));

const counter = (text = '') => `${text}
local calls = 0
local function count(keys, args)
  calls = calls + 1
  return { keys[1], args[1], calls }
end`;
const define = (lua = counter()) =>
  defineFunction<[key: string, argument: string, calls: number]>(redis, { name: 'test', lua, entry: 'count' });
const libraries = async (): Promise<string[]> => ((await redis.function('LIST')) as [string, string][]).map(([, name]) => name);

test('a function runs on a server that does not have its library yet, and stays there', async () => {
  const count = define();
  expect(await count(1, 'key', 'argument')).toEqual(['key', 'argument', 1]);
  expect(await count(1, 'key', 'argument')).toEqual(['key', 'argument', 2]);
});

test('calls that find no library at the same time load it once and run once each', async () => {
  const count = define();
  const calls = await Promise.all(Array.from({ length: 20 }, () => count(1, 'key', 'argument')));
  expect(calls.map(([, , number]) => number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test('a server that lost its libraries gets them again', async () => {
  const count = define();
  await count(1, 'key', 'argument');
  await redis.function('FLUSH');
  expect(await count(1, 'key', 'argument')).toEqual(['key', 'argument', 1]);
});

test('replicas of two versions run side by side', async () => {
  const [older, newer] = [define(counter('-- 1')), define(counter('-- 2'))];
  for (const number of [1, 2]) for (const count of [older, newer]) expect((await count(1, 'key', 'argument'))[2]).toBe(number);
});

test('a server keeps four versions of a library, and other libraries', async () => {
  await redis.function('LOAD', "#!lua name=foreign\nredis.register_function('foreign', function() return 1 end)");
  for (let version = 1; version <= 6; version++) await define(counter(`-- ${version}`))(1, 'key', 'argument');
  const known = await libraries();
  expect(known).toContain('foreign');
  expect(known.filter((name) => name.startsWith('test_'))).toHaveLength(4);
});

test('an error of the function reaches the caller', async () => {
  const fails = defineFunction(redis, { name: 'test', lua: "local function fail() error('no such account') end", entry: 'fail' });
  await expect(fails(1, 'key')).rejects.toThrow('no such account');
});
