import knexFactory, { type Knex } from 'knex';
import { createAddressList } from '../../src/context/address-list.ts';
import { createDeviceDetector } from '../../src/context/device-detector.ts';
import { createCountedStore } from '../events/counted-store.ts';
import { createRefilterStore } from '../../src/events/postgres/refilter-store.ts';
import type { Hit, HitSignals, ServedAd } from '../../src/ledger/hit.ts';
import { createRejudgeHit } from '../../src/tracking/invalid-traffic/rejudge-hit.ts';
import { rejudgeActivity } from '../../src/tracking/rejudge-activity.ts';
import { refilterDay } from '../../src/tracking/refilter-day.ts';
import { eventOf, NOON } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';

const DAY_MS = 86_400_000;
const DAY = Math.floor(NOON / DAY_MS);
const PERSON: HitSignals = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };
const CLOUD: HitSignals = { ...PERSON, network: '203.0.113.0/24' };
const PART: HitSignals = { ...PERSON, network: '198.51.100.0/24' };

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('campaigns').insert({ publisher_id: 1, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' });
  const flight = { start_at: '2026-01-01', end_at: '2999-01-01' };
  const item = { ...flight, campaign_id: 1, active: true, cpm_micros: 1 };
  await knex('line_items').insert([
    { ...item, name: 'open' },
    { ...item, name: 'capped', daily_impression_cap: 2, daily_spend_cap_micros: 1_500 },
  ]);
});
beforeEach(() =>
  knex.raw('truncate events, event_batches, event_signals, daily_counts, filtered_counts, event_counts, hourly_counts, pending_hits'),
);
afterAll(() => knex.destroy());

const rejudge = createRejudgeHit({
  dataCenters: createAddressList(['203.0.113.0/24', '198.51.100.0/25']),
  visitorOf: createDeviceDetector({ cacheSize: 10 }),
  acceptsOrigin: () => true,
});
const store = async (ad: Partial<ServedAd>, hit: Partial<Hit>, atMs = NOON): Promise<void> => {
  const event = eventOf({ campaignId: 1, lineItemId: 1, tokenExpS: NOON / 1000 + 60, ...ad }, { signals: PERSON, ...hit }, atMs);
  const reason = hit.invalidReason ?? '';
  await createCountedStore({ knex }).append([{ ...event, reason, billedMicros: reason === '' ? event.billedMicros : 0 }]);
};
const refilter = async (nowMs = NOON + DAY_MS) =>
  refilterDay({
    ...{ store: createRefilterStore({ knex }), keys: { shardOf: () => 1 }, rejudge, activity: await rejudgeActivity(knex, DAY) },
    ...{ day: DAY, nowMs, dryRun: false },
    rest: () => Promise.resolve(),
  });
const rows = async () =>
  (await knex('events').orderBy(['jti', 'kind', 'screened'])).map((row) => `${row.jti} ${row.kind} ${row.invalid_reason}`.trim());
const pending = () => knex('pending_hits').orderBy('jti').pluck('jti');

test('a click is filtered with its impression, and an event of its token by its own sender', async () => {
  await store({ tokenId: 'a' }, { signals: CLOUD });
  await store({ tokenId: 'a' }, { kind: 'click', signals: PERSON }, NOON + 5_000);
  await store({ tokenId: 'a' }, { kind: 'event', eventType: 'like', signals: PERSON }, NOON + 5_000);
  await store({ tokenId: 'b' }, { kind: 'click', signals: PERSON });
  expect((await refilter()).map(({ kind, to, micros }) => [kind, to, micros])).toEqual([
    ['click', 'no_impression', -1_000],
    ['impression', 'data_center', -1_000],
  ]);
  // The impression of b may be on its way.
  expect(await rows()).toEqual(['a click no_impression', 'a event', 'a impression data_center', 'b click']);
  expect(await refilter()).toEqual([]);
});

test('a viewable event that billed is filtered with its impression, and one that bills nothing is not', async () => {
  const viewed = { kind: 'event', eventType: 'viewable' } as const;
  for (const billsOn of ['viewable', 'impression'] as const) {
    await store({ tokenId: billsOn, billsOn }, { signals: CLOUD });
    await store({ tokenId: billsOn, billsOn }, viewed, NOON + 5_000);
  }
  await refilter();
  expect(await rows()).toEqual([
    'impression event',
    'impression impression data_center',
    'viewable event no_impression',
    'viewable impression data_center',
  ]);
  // Its bill is gone from the counts of the day.
  expect(await knex('daily_counts').pluck('spend_micros')).toEqual(['0']);
});

test('a viewable event that was filtered with its impression bills again when both are restored', async () => {
  const ad = { tokenId: 'v', billsOn: 'viewable', priceMicros: 700, lineItemId: 2 } as const;
  await store(ad, { invalidReason: 'spider' });
  await store(ad, { kind: 'event', eventType: 'viewable', invalidReason: 'spider' }, NOON + 5_000);
  expect((await refilter()).map(({ kind, to, micros }) => [kind, to, micros])).toEqual([
    ['event', '', 700],
    ['impression', '', 0],
  ]);
  expect(await pending()).toEqual(['v', 'v']);
});

test('what the signals do not tell, what is not final and what another hit of its kind replaces stay as they are', async () => {
  await store({ tokenId: 'prefetch' }, { invalidReason: 'prefetch' });
  await store({ tokenId: 'part' }, { invalidReason: 'data_center', signals: PART });
  await store({ tokenId: 'part counted' }, { signals: PART });
  await store({ tokenId: 'unmeasured' }, { invalidReason: 'spider', signals: undefined });
  await store({ tokenId: 'names unknown' }, { invalidReason: 'spider', signals: { ...PERSON, agent: null } });
  await store({ tokenId: 'open', tokenExpS: (NOON + DAY_MS) / 1000 - 60 }, { signals: CLOUD });
  await store({ tokenId: 'waits' }, { signals: CLOUD });
  await knex('pending_hits').insert({ jti: 'waits', kind: 'click', shard: 1, payload: {} });
  await store({ tokenId: 'twice' }, { invalidReason: 'spider' });
  await store({ tokenId: 'twice' }, {});
  const before = await rows();
  expect(await refilter()).toEqual([]);
  expect(await rows()).toEqual(before);
});

test('of an earlier day no more is restored than its daily caps have room for, in all runs together', async () => {
  await store({ tokenId: 'a', lineItemId: 2, priceMicros: 700 }, { invalidReason: 'spider' });
  await store({ tokenId: 'b', lineItemId: 2, priceMicros: 700 }, { invalidReason: 'spider' });
  await store({ tokenId: 'c', lineItemId: 2, priceMicros: 700 }, { invalidReason: 'spider' });
  await store({ tokenId: 'd', lineItemId: 9 }, { invalidReason: 'spider' });
  const changes = () => refilter().then((found) => found.map(({ lineItemId, to, hits, micros }) => [lineItemId, to, hits, micros]));
  expect(await changes()).toEqual([
    [2, '', 2, 1_400],
    [2, 'no room', 1, 0],
    [9, 'no room', 1, 0],
  ]);
  expect([await pending(), await rows()]).toEqual([
    ['a', 'b'],
    ['c impression spider', 'd impression spider'],
  ]);
  // They wait to be settled, and take the room meanwhile.
  expect(await changes()).toEqual([
    [2, 'no room', 1, 0],
    [9, 'no room', 1, 0],
  ]);
  // What is filtered makes room.
  await knex('pending_hits').delete();
  await store({ tokenId: 'e', lineItemId: 2 }, { signals: CLOUD });
  await store({ tokenId: 'z', lineItemId: 2, priceMicros: 1_500 }, { invalidReason: 'spider' });
  await knex('events').where({ jti: 'c' }).delete();
  expect(await changes()).toEqual([
    [2, 'data_center', 1, -1_000],
    [2, '', 1, 1_500],
    [9, 'no room', 1, 0],
  ]);
});

test('nor more than the daily budget of its campaign has room for, over all of its line items', async () => {
  await knex('campaigns').update({ daily_budget_micros: 1_000 });
  await store({ tokenId: 'a', lineItemId: 1, priceMicros: 700 }, { invalidReason: 'spider' });
  await store({ tokenId: 'b', lineItemId: 2, priceMicros: 700 }, { invalidReason: 'spider' });
  const changed = (await refilter()).map(({ lineItemId, to, hits, micros }) => [lineItemId, to, hits, micros]);
  await knex('campaigns').update({ daily_budget_micros: null });
  expect(changed).toEqual([
    [1, '', 1, 700],
    [2, 'no room', 1, 0],
  ]);
  expect(await pending()).toEqual(['a']);
});
