import knexFactory, { type Knex } from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { testDatabase } from '../setup/test-database.ts';
import { holdAllPartitions, partitionsOf } from '../../src/events/postgres/partitions.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { readEvent, spellOut } from '../../src/events/read-event.ts';
import { eventOf, fieldsOf, NOON } from './events.ts';

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

test('the signals of senders are kept for 30 days, and the events beyond; later events of such a day are stored without', async () => {
  const store = createEventStore({ knex });
  const signals = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };
  const days = async () =>
    Promise.all(
      ['events', 'event_signals'].map(async (table) => Number((await knex(table).where({ day: '2026-06-15' }).count('* as n'))[0]?.['n'])),
    );
  await knex('events').where({ day: '2026-06-15' }).delete();
  await store.append([eventOf({}, { signals }), eventOf({}, { signals, invalidReason: 'spider' }), eventOf()]);
  expect([await store.prune(400, NOON + 30 * DAY_MS), await days()]).toEqual([[], [3, 2]]);
  expect(await knex('event_signals').whereNotNull('hit').select('screened', knex.raw("hit #>> '{invalidReason}' as reason"))).toEqual([
    { screened: true, reason: 'spider' },
  ]);
  expect([await store.prune(400, NOON + 31 * DAY_MS), await days()]).toEqual([[], [3, 0]]);
  await store.append([eventOf({}, { signals })]);
  expect(await days()).toEqual([4, 0]);
  // A shorter retention of events is that of the signals, too.
  await store.append([eventOf({ day: 20_000 }, { signals })]);
  expect(await store.prune(5, 20_006 * DAY_MS)).toEqual(['events_20241004']);
  expect(await partitionsOf(knex, 'event_signals')).not.toContain('event_signals_20241004');
});

test('a batch that is delivered again, with more, stores the signals of what is new, once', async () => {
  const store = createEventStore({ knex });
  const signals = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };
  const [first, second] = [eventOf({ day: 20_100 }, { signals }), eventOf({ day: 20_100 }, { signals })];
  expect(await store.append([first])).toBe(1);
  expect(await store.append([first, second, second])).toBe(1);
  expect(await store.append([second, first])).toBe(0);
  const kept = await knex('event_signals').where({ day: '2025-01-12' }).orderBy('jti').pluck('jti');
  expect(kept).toEqual([first, second].map(({ hit }) => hit.ad.tokenId).sort());
});

test('the signals of dead events end as well, and the events can still be stored', async () => {
  const signals = { network: '192.0.2.0/24', agent: 'Mozilla/ "quoted"} Firefox/', origin: 'https://p.example', elsewhere: false };
  const dead = createDeadEvents({ knex });
  const event = eventOf({}, { signals });
  await dead.add({ source: 'events', shard: 1, entryId: '1-0', fields: spellOut(fieldsOf(event)), sqlState: null, reason: 'r' });
  const store = createEventStore({ knex });
  const stored = async () => readEvent((await dead.read('0', 1))[0]?.fields ?? []);
  await store.prune(400, Date.now() + 29 * DAY_MS);
  expect((await stored()).hit.signals).toEqual(signals);
  await store.prune(400, Date.now() + 32 * DAY_MS);
  expect(await stored()).toEqual({ ...event, hit: { ...event.hit, signals: undefined } });
});

test('a replica that finds no partition past its retention waits for no event that is being stored, and delays none', async () => {
  const store = createEventStore({ knex });
  await store.append([eventOf({ day: 20_200 })]);
  const storing = await knex.transaction();
  await holdAllPartitions(storing);
  expect(await store.prune(400, 20_201 * DAY_MS)).toEqual([]);
  await storing.rollback();
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
