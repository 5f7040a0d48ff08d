import knexFactory, { type Knex } from 'knex';
import { keepDeleted } from '../../src/bookings/deleted-records.ts';
import { ENTITY_KINDS } from '../../src/bookings/entity-kind.ts';
import { createCompareAccounts } from '../../src/events/compare-accounts.ts';
import { compareAllAccounts } from '../../src/events/compare-books.ts';
import { createCompareTallies } from '../../src/events/compare-tallies.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createAccountBooks } from '../../src/ledger/read/account-books.ts';
import { createTallyBooks } from '../../src/ledger/read/tally-books.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf } from './events.ts';
import { createCountedStore } from './counted-store.ts';

const NOW = Date.now();
const TODAY = Math.floor(NOW / 86_400_000);
const rest = () => Promise.resolve();

let knex: Knex;
let redis: RedisClient;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  redis = await patientRedis(await testRedisUrl());
});
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

test('accounts and tallies of a campaign that is deleted and can be restored are compared like all others', async () => {
  const flight = { name: 'gone', start_at: '2026-01-01', end_at: '2999-01-01' };
  await knex('publishers').insert({ id: 1, name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('campaigns').insert({ id: 1, publisher_id: 1, ...flight });
  await knex('line_items').insert({ id: 1, campaign_id: 1, ...flight, active: true, cpm_micros: 1 });
  await knex.transaction(async (trx) => {
    await keepDeleted(trx, ENTITY_KINDS.campaigns, 1, 1);
    await trx('campaigns').where({ id: 1 }).delete();
  });
  // Its hits come late: one counts, one is filtered. Redis has neither.
  const ad = { publisherId: 1, campaignId: 1, lineItemId: 1 };
  await createCountedStore({ knex }).append([eventOf(ad, {}, NOW), { ...eventOf(ad, { invalidReason: 'spider' }, NOW), billedMicros: 0 }]);
  const keys = createLedgerKeys(4);
  const books = createAccountBooks({ redis, keys, expiresAtMs: () => NOW + 86_400_000 });
  const comparing = {
    counts: createCountStore({ knex }),
    compareAccounts: createCompareAccounts({ knex, books, mayLower: () => Promise.resolve(true) }),
    ...{ dryRun: false, rest },
  };
  const compareTallies = createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) });
  expect((await compareAllAccounts(comparing, TODAY)).map(({ kind, id, difference }) => [kind, id, difference.impressions])).toEqual([
    ['c', 1, 1],
    ['l', 1, 1],
  ]);
  expect(await compareTallies(TODAY, { dryRun: false, rest })).toBe(1);
  expect([await compareAllAccounts(comparing, TODAY), await compareTallies(TODAY, { dryRun: false, rest })]).toEqual([[], 0]);
  expect(await redis.hget(keys.filtered(1), `${TODAY}:1:impression:spider`)).toBe('1');
});
