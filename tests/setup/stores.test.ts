import { Redis } from 'ioredis';
import { testDatabase } from './test-database.ts';
import { withClient } from '../../testkit/databases.ts';
import { testRedisUrl } from './test-redis-url.ts';

test('every call creates a separate migrated database', async () => {
  const [first, second] = [await testDatabase(), await testDatabase()];
  expect(first).not.toBe(second);
  await withClient(first, (client) => client.query('create table only_here ()'));
  const found = await withClient(second, (client) =>
    client.query("select to_regclass('events') as migrated, to_regclass('only_here') as other"),
  );
  expect(found.rows).toEqual([{ migrated: 'events', other: null }]);
});

test('the Redis of a file starts empty and keeps what the file wrote', async () => {
  const client = new Redis(await testRedisUrl());
  expect(await client.dbsize()).toBe(0);
  await client.set('kept', '1');
  await testRedisUrl();
  expect(await client.get('kept')).toBe('1');
  client.disconnect();
});
