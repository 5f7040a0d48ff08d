import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { createRequestCounts } from '../../src/events/postgres/request-counts.ts';
import { REQUEST_PARTS } from '../../src/events/postgres/request-parts.ts';
import type { Counted, RequestRow, ServeRow } from '../../src/events/postgres/request-rows.ts';
import { ROLL_UPS } from '../../src/events/postgres/roll-ups.ts';
import { countAll } from '../../src/events/postgres/waiting-rows.ts';
import { createRequestTallies } from '../../src/events/request-tallies.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { eventOf, NOON } from './events.ts';

const HOUR_MS = 3_600_000;
/** Ids are those of the publishers, from 1. */
const ZONES = ['UTC', 'Asia/Kolkata', 'Australia/Lord_Howe'];

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 8 } });
  for (const [i, time_zone] of ZONES.entries())
    await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: String(i), time_zone });
});
const clear = () => knex.raw(`truncate request_batches, request_parts, ${ROLL_UPS.map(({ table }) => table).join(', ')}`);
beforeEach(clear);
afterAll(() => knex.destroy());

const PLACE = { countedBy: 'placement', placementId: '', size: '', country: '', device: '', browser: '' } as const;
const SERVED = { ...PLACE, publisherId: 1, campaignId: 2, lineItemId: 3, creativeId: 0, count: 1 };
const FLIGHT = { name: 'Autumn', publisher_id: 1, start_at: '2026-01-01', end_at: '2027-01-01' };
const replicaOf = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const store = (
  replica: number,
  batch: number,
  serves: readonly Counted<ServeRow>[],
  atMs = NOON,
  requests: readonly Counted<RequestRow>[] = [],
) => createRequestCounts({ knex }).add(replicaOf(replica), { batch, atMs, requests, serves, bids: [] });
const sumOf = async (table: string, column = 'serves'): Promise<number> => Number((await knex(table).sum({ n: column }))[0]?.['n'] ?? 0);
const parts = async (): Promise<number> => (await knex('request_parts')).length;

const rowArbitrary = fc.record({
  countedBy: fc.constantFrom('placement', 'country', 'device'),
  publisherId: fc.integer({ min: 1, max: 4 }),
  lineItemId: fc.integer({ min: 1, max: 3 }),
  value: fc.constantFrom('', 'DE', 'a "quoted", {braced} \\ one', 'null'),
  count: fc.integer({ min: 1, max: 9 }),
});
const serveOf = ({
  countedBy,
  publisherId,
  lineItemId,
  value,
  count,
}: typeof rowArbitrary extends fc.Arbitrary<infer Row> ? Row : never) => {
  const place = { placement: { placementId: value }, country: { country: value }, device: { device: value, browser: value } }[countedBy];
  return { ...SERVED, ...place, countedBy, publisherId, lineItemId, campaignId: lineItemId + 10, count } as Counted<ServeRow>;
};

test('what replicas counted is in the roll-ups once, in the local days and hours of its publishers, by everything that was counted', async () => {
  const batches = fc.array(
    fc.record({ atMs: fc.integer({ min: NOON - 14 * HOUR_MS, max: NOON }), rows: fc.array(rowArbitrary, { maxLength: 30 }) }),
    {
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      await clear();
      const expected = new Map<string, number>();
      for (const [i, { atMs, rows }] of given.entries()) {
        const serves = rows.map(serveOf);
        const requests = serves.map((row) => ({
          ...row,
          reason: row.lineItemId === 1 ? '' : 'targeting',
        })) as unknown as Counted<RequestRow>[];
        // Two replicas; the answer to the second batch was lost.
        for (let sent = 0; sent < (i === 1 ? 2 : 1); sent++) await store(i % 2, i + 1, serves, atMs, requests);
        if (i === 2) await countAll(knex, REQUEST_PARTS);
        for (const row of serves) {
          const day = new Date(atMs).toLocaleDateString('en-CA', { timeZone: ZONES[row.publisherId - 1] ?? 'UTC' });
          const key = [row.countedBy, day, row.lineItemId, row.placementId, row.country, row.device].join('|');
          expected.set(key, (expected.get(key) ?? 0) + row.count);
        }
      }
      await Promise.all([countAll(knex, REQUEST_PARTS), countAll(knex, REQUEST_PARTS)]);
      const { rows } = await knex.raw<{ rows: { key: string; n: number }[] }>(`
        select concat_ws('|', 'placement', day, line_item_id, placement_id, '', '') as key, sum(serves)::int as n from report_days group by 1 union all
        select concat_ws('|', 'country', day, line_item_id, '', country, ''), sum(serves)::int from report_countries group by 1 union all
        select concat_ws('|', 'device', day, line_item_id, '', '', device), sum(serves)::int from report_devices group by 1`);
      expect(new Map(rows.map(({ key, n }) => [key, n]))).toEqual(expected);
      expect(await sumOf('report_hours')).toBe(await sumOf('report_days'));
      const all = [...expected.values()].reduce((sum, n) => sum + n, 0);
      const requested = ['request_days', 'request_countries', 'request_devices'].map((table) => sumOf(table, 'requests'));
      expect((await Promise.all(requested)).reduce((sum, n) => sum + n, 0)).toBe(all);
      expect([await sumOf('request_hours', 'requests'), await parts()]).toEqual([await sumOf('request_days', 'requests'), 0]);
    }),
    { numRuns: 12 },
  );
});

test('a batch of many places is stored in parts of a thousand, whole or not at all', async () => {
  const serves = Array.from({ length: 2_500 }, (_, i) => ({ ...SERVED, creativeId: i, placementId: `p${i % 40}` }));
  const failing = {
    *[Symbol.iterator]() {
      yield* serves;
      throw new Error('the connection was lost');
    },
  };
  await expect(store(1, 1, failing as unknown as readonly Counted<ServeRow>[])).rejects.toThrow('lost');
  expect(await parts()).toBe(0);
  await store(1, 1, serves);
  expect((await knex('request_parts').orderBy('part').pluck<number[]>('rows')).map(Number)).toEqual([1_000, 1_000, 500]);
  await countAll(knex, REQUEST_PARTS);
  expect([await sumOf('report_days'), await sumOf('report_hours'), await parts()]).toEqual([2_500, 2_500, 0]);
});

test('serves are those of who paid when they were stored', async () => {
  const advertisers: number[] = [];
  for (const name of ['Acme', 'Borealis']) {
    const [row] = await knex('advertisers').insert({ name }).returning('id');
    advertisers.push((row as { id: number }).id);
  }
  const [row] = await knex('campaigns')
    .insert({ ...FLIGHT, advertiser_id: advertisers[0] })
    .returning('id');
  const { id } = row as { id: number };
  await store(1, 1, [{ ...SERVED, campaignId: id }]);
  await knex('campaigns').where({ id }).update({ advertiser_id: advertisers[1] });
  await store(1, 2, [{ ...SERVED, campaignId: id, count: 4 }]);
  await countAll(knex, REQUEST_PARTS);
  expect(await knex('report_days').orderBy('serves').select('advertiser_id', knex.raw('serves::int'))).toEqual([
    { advertiser_id: advertisers[0], serves: 1 },
    { advertiser_id: advertisers[1], serves: 4 },
  ]);
});

test('a part that Postgres refuses to count keeps no other from its counts, and is counted once the cause is gone', async () => {
  await knex.raw('alter table report_days add constraint refused check (creative_id <> 66)');
  try {
    for (const [i, creativeId] of [5, 66, 7].entries()) await store(1, i + 1, [{ ...SERVED, creativeId }]);
    await expect(countAll(knex, REQUEST_PARTS)).rejects.toThrow(/refused/);
    await countAll(knex, REQUEST_PARTS);
    expect([await sumOf('report_days'), await parts()]).toEqual([2, 1]);
  } finally {
    await knex.raw('alter table report_days drop constraint refused');
  }
  await knex('request_parts').update({ retry_at: knex.raw(`now() - interval '1 second'`) });
  await countAll(knex, REQUEST_PARTS);
  expect([await sumOf('report_days'), await parts()]).toEqual([3, 0]);
});

test('counts of more places than fit are sent before their time, so that each visitor is counted with its country and browser', async () => {
  const sent: { readonly size: number; readonly unknown: number }[] = [];
  const answers: (() => void)[] = [];
  const tallies = createRequestTallies({
    ...{ replica: replicaOf(1), now: () => NOON, flushMs: 10_000, onFailure: () => undefined },
    store: {
      add: (_, { serves }) => {
        const rows = [...serves];
        sent.push({ size: rows.length, unknown: rows.filter((row) => row.countedBy === 'country' && row.country === '').length });
        return new Promise((resolve) => answers.push(resolve));
      },
    },
  });
  const { ad } = eventOf().hit;
  const serve = (from: number, count: number): void => {
    for (let n = from; n < from + count; n++)
      tallies.serve({ ...ad, lineItemId: Math.floor(n / 100) }, { country: `c${n % 100}`, device: 'mobile', browser: null });
  };
  serve(0, 70_000);
  await eventually(() => expect(sent).toHaveLength(1));
  // While they are on their way, others are counted.
  serve(70_000, 40_000);
  answers[0]?.();
  const stopped = tallies.stop();
  await eventually(() => expect(sent).toHaveLength(2));
  answers[1]?.();
  await stopped;
  expect(sent.map(({ unknown }) => unknown)).toEqual([0, 0]);
  expect(sent[0]?.size).toBeGreaterThanOrEqual(65_536);
});
