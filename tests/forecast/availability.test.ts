import knexFactory, { type Knex } from 'knex';
import { dateOfDay, dayOf } from '../../src/base/utc-day.ts';
import type { AvailabilityQuestion } from '../../src/forecast/availability/availability.ts';
import { sellTraffic, type BookedThere, type TrafficPart } from '../../src/forecast/availability/sell-traffic.ts';
import { figuresOf } from '../../src/forecast/base-figures.ts';
import { createForecastStore } from '../../src/forecast/forecast-store.ts';
import { createForecaster } from '../../src/forecast/forecaster.ts';
import { book, insertRow } from '../../testkit/book.ts';
import { testDatabase } from '../setup/test-database.ts';
import { live, VISITS_A_DAY } from './live.ts';

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

it('divides what is sold by rank: who ranks below gets of what is left, and nothing is sold twice', () => {
  const parts: readonly TrafficPart[] = [
    { keys: ['FI'], eligible: [0, 1], weight: 2 },
    { keys: ['SE'], eligible: [1], weight: 6 },
  ];
  const booked = [60, 90].map((count, i): BookedThere => ({ id: i + 1, priority: i + 1, counts: [count], places: [] }));
  const sold: string[] = [];
  sellTraffic(parts, booked, [320], ({ keys }, day, impressions, lineItem) => {
    sold.push(`${day} ${keys.join()} ${lineItem?.id ?? 'all'} ${Math.round(impressions)}`);
  });
  // The first leaves 20 of 80 in Finland; the second takes 90 of the 260 that are left, everywhere alike.
  expect(sold).toEqual(['0 FI all 80', '0 SE all 240', '0 FI 1 60', '0 FI 2 7', '0 SE 2 83']);
});

it('tells what is free by country, size and shared targeting, and who has the rest', async () => {
  const booking = await book(knex, {
    lineItems: [{ priority: 1, targeting: { countries: ['FI'] } }, { priority: 2, daily_impression_cap: 20 }, { priority: 3 }],
  });
  const { publisherId, placementId, lineItemIds } = booking;
  const nowMs = Date.now();
  await live(knex, booking, nowMs);
  const [nordic, other] = await Promise.all(
    [{ countries: ['FI', 'SE'] }, { countries: ['NO'] }].map((targeting, i) =>
      insertRow(knex, 'targetings', { publisher_id: publisherId, name: `targeting ${i}`, targeting }),
    ),
  );
  const forecaster = createForecaster({ knex, dimensions: new Map(), pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, tokenTtlMs: 1_800_000 });
  const ask = async (asked: Partial<AvailabilityQuestion>) => {
    const { days, cuts } = await forecaster.availability({ publisherId, nowMs, by: 'placement', ...asked });
    // Today has partly passed.
    const sum = (counts: readonly number[]): number => counts.slice(1).reduce((all, count) => all + count, 0) / 28;
    const shown = cuts.map(({ key, available, sold, bookings }) => ({
      ...{ key, available: sum(available), sold: sum(sold), bookings: [...bookings].map(([id, counts]) => [id, sum(counts)] as const) },
    }));
    return { days, cuts: shown, of: (key: string) => shown.find((cut) => cut.key === key)! };
  };
  expect((await ask({})).cuts).toEqual([]);

  const base = await forecaster.baseline(publisherId, nowMs, () => Promise.resolve());
  await createForecastStore({ knex }).keepBase(publisherId, dateOfDay(dayOf(nowMs)), figuresOf(base, dateOfDay), []);
  const countries = await ask({ by: 'country' });
  expect(countries.days).toHaveLength(29);
  const [finland, sweden] = [countries.of('FI'), countries.of('SE')];
  expect(finland.available + sweden.available).toBeGreaterThan(0.9 * VISITS_A_DAY);
  expect(finland.available / sweden.available).toBeCloseTo(1 / 2, 1);
  // All of Finland is sold; what the second gets is elsewhere, 20 impressions of 22 ads; and a house ad sells nothing.
  expect(finland.sold / finland.available).toBeGreaterThan(0.97);
  expect(sweden.sold).toBeGreaterThan(18);
  expect(sweden.sold).toBeLessThan(25);
  expect((await ask({ country: 'FI' })).of(placementId).available).toBeCloseTo(finland.available, 0);
  const behind = (await ask({ by: null, country: 'SE' })).cuts[0]!.bookings.filter(([, count]) => count > 1).map(([id]) => id);
  expect(behind).toEqual(lineItemIds.slice(1));
  const targetings = await ask({ by: 'targeting' });
  expect(targetings.of(String(nordic)).available).toBeCloseTo(finland.available + sweden.available, 0);
  expect(targetings.of(String(other))).toBeUndefined();
  expect((await ask({ targeting: other })).cuts).toEqual([]);
  expect((await ask({ by: 'size' })).cuts.map(({ key }) => key)).toEqual(['300x250']);
  expect((await ask({ size: '728x90' })).cuts).toEqual([]);
});
