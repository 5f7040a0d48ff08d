import knexFactory, { type Knex } from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { testDatabase } from '../setup/test-database.ts';
import { eventOf, NOON } from './events.ts';

const DAY_MS = 86_400_000;

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 8 } });
});
afterAll(() => knex.destroy());

test('a replica stores an event of a day whose partition another replica has dropped', async () => {
  const [one, other] = [createEventStore({ knex }), createEventStore({ knex })];
  expect(await one.append([eventOf()])).toBe(1);
  expect(await other.prune(1, NOON + 10 * DAY_MS)).toEqual(['events_20260615']);
  expect(await one.append([eventOf()])).toBe(1);
});

test('storing events and dropping their partitions at the same time fails neither', async () => {
  const stores = Array.from({ length: 4 }, () => createEventStore({ knex }));
  let pruning = true;
  const prune = (async () => {
    while (pruning) await createEventStore({ knex }).prune(1, NOON + 10 * DAY_MS);
  })();
  const stored = await Promise.all(
    stores.map(async (store) => {
      let count = 0;
      for (let i = 0; i < 25; i++) count += await store.append([eventOf(), eventOf({}, {}, NOON - DAY_MS)]);
      return count;
    }),
  );
  pruning = false;
  await prune;
  expect(stored).toEqual([50, 50, 50, 50]);
});
