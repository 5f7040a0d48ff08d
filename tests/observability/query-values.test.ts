import { readSettings } from '../../src/config/read-settings.ts';
import { connectStores } from '../../src/replica/connect-stores.ts';
import { atEnd } from '../setup/at-end.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

test('the message of a failed query, which is logged, has the text of the query without its values', async () => {
  const addresses = { databaseUrl: await testDatabase(), redisUrls: [await testRedisUrl()] };
  const stores = connectStores(readSettings({ TOKEN_SECRET: 'x'.repeat(32) }), addresses);
  atEnd(stores.close);
  for (const knex of [stores.knex, stores.promptKnex]) {
    const failed = Promise.resolve(knex('missing').where({ user_hash: 'hash-of-ann' }));
    await expect(failed).rejects.toThrow('select * from "missing" where "user_hash" = $1 - relation "missing" does not exist');
    await expect(failed).rejects.not.toThrow('hash-of-ann');
  }
});
