import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { temporaryFolder } from './temporary-folder.ts';
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

test('folders of runs that were killed are deleted by the next run, those of running ones are kept', async () => {
  const parent = temporaryFolder();
  const killed = spawnSync(process.execPath, ['--version']).pid;
  const folders = [`ad-server-test-of-${killed}-Ab3dEf`, `ad-server-test-of-${process.pid}-Ab3dEf`, 'ad-server-test-Ab3dEf', 'other'];
  for (const folder of folders) mkdirSync(path.join(parent, folder, 'postgres', 'base'), { recursive: true });

  const stores = await openPrivateStores('test', parent);
  expect(readdirSync(parent).toSorted()).toEqual([...folders.slice(1), path.basename(stores.folder)].toSorted());
  await stores.stop();
  expect(readdirSync(parent).toSorted()).toEqual(folders.slice(1).toSorted());
});
