import { createCountedStore } from './counted-store.ts';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { snapshotOf } from '../../testkit/catalog-reading.ts';
import { testDatabase } from '../setup/test-database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  await knex('publishers').insert([1, 2].map((n) => ({ name: `p${n}`, domain: 'p.example', api_key_hash: `h${n}` })));
  await knex('campaigns').insert([1, 2].map((n) => ({ publisher_id: n, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' })));
  await knex('line_items').insert(
    (['Even', 'ASAP'] as const).map((pacing, i) => ({
      campaign_id: i + 1,
      name: pacing,
      active: true,
      start_at: '2026-01-01',
      end_at: '2999-01-01',
      cpm_micros: 1_000_000,
      pacing,
    })),
  );
});
afterAll(() => knex.destroy());

let tokens = 0;
const impressionAt = (publisherId: number, atMs: number, changes: Partial<Hit> = {}): StoredEvent => {
  const ad: ServedAd = {
    tokenId: `t${++tokens}`,
    publisherId,
    campaignId: publisherId,
    lineItemId: publisherId,
    creativeId: 1,
    placementId: 'top',
    priceMicros: 1000,
    billsOn: 'impression',
    day: Math.floor(atMs / DAY_MS),
    holdEndMs: 0,
    tokenExpS: 0,
    servedAtMs: 0,
    userHash: null,
    billingNotice: false,
  };
  const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs, country: null, device: null, ...changes };
  return { hit, reason: hit.invalidReason, atMs, billedMicros: 0 };
};

test('a publisher with paced line items gets the curve of its last whole days, each stored impression counted once', async () => {
  const store = createCountedStore({ knex });
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const events: StoredEvent[] = [];
  // Four times as much at 20 h as in any other hour, on two days; more today, longer ago, invalid, or of another publisher: none of these count.
  for (const day of [today - DAY_MS, today - 7 * DAY_MS]) {
    for (let hour = 0; hour < 24; hour++) {
      for (let i = 0; i < (hour === 20 ? 240 : 60); i++) events.push(impressionAt(1, day + hour * HOUR_MS + i));
    }
  }
  for (let i = 0; i < 50; i++) {
    events.push(impressionAt(1, today + i), impressionAt(1, today - 8 * DAY_MS + i), impressionAt(2, today - DAY_MS + i));
    events.push(impressionAt(1, today - DAY_MS + i, { invalidReason: 'prefetch' }), impressionAt(1, today - DAY_MS + i, { kind: 'click' }));
  }
  await store.append(events);
  await store.append(events);

  const snapshot = await createCatalogStore({ knex }).readAll((reading) => {
    expect([...reading.hourlyImpressions]).toEqual([[1, Array.from({ length: 24 }, (_, hour) => (hour === 20 ? 480 : 120))]]);
    return snapshotOf(reading, { nowMs: today });
  });
  const shares = (publisherId: number) =>
    Array.from({ length: 24 }, (_, hour) => snapshot.curveAt(publisherId, today + hour * 3_600_000).shareOfHour);
  expect(shares(1).indexOf(Math.max(...shares(1)))).toBe(20);
  expect(shares(2)).toEqual(Array.from({ length: 24 }, () => 1 / 24));
});

test('ignores old traffic', async () => {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const store = createCountedStore({ knex });
  await store.append([impressionAt(1, today - 60 * DAY_MS)]);
  const oldest = async () => (await knex('hourly_counts').min<{ min: Date }[]>('day'))[0]?.min;
  const before = await oldest();
  await store.prune(30, today);
  expect(Number(await oldest())).toBeGreaterThan(Number(before));
});
