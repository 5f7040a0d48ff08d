import knexFactory, { type Knex } from 'knex';
import type { BaseFigures } from '../../src/forecast/base-figures.ts';
import { createErrorGauges } from '../../src/forecast/errors/error-gauges.ts';
import { readForecastErrors, readWidening } from '../../src/forecast/errors/forecast-errors.ts';
import { createForecastStore } from '../../src/forecast/forecast-store.ts';
import { createNightlyForecasts } from '../../src/forecast/nightly-forecasts.ts';
import { dateOfDay } from '../../src/base/utc-day.ts';
import { book, type Booking } from '../../testkit/book.ts';
import { testDatabase } from '../setup/test-database.ts';

const DAY = 86_400_000;
const ZONE_HOURS = 9;
/** Half past three at night in Tokyo, where the publisher is: the day before has ended there, and not in UTC. */
const TODAY = Math.floor(Date.now() / DAY);
const NOW = TODAY * DAY - ZONE_HOURS * 3_600_000 + 3.5 * 3_600_000;
const YESTERDAY = dateOfDay(TODAY - 1);

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

const inTokyo = async (): Promise<Booking> => {
  const booking = await book(knex, { lineItems: [{}, {}] });
  await knex('publishers').where({ id: booking.publisherId }).update({ time_zone: 'Asia/Tokyo' });
  return booking;
};

/** A forecast that was made so many days before yesterday, with the same figures for each of its days. */
const forecastOf = async (
  { publisherId, placementId, lineItemIds }: Booking,
  age: number,
  [p10, p50, p90]: readonly [number, number, number],
): Promise<void> => {
  const days = Array.from({ length: 29 }, (_, i) => dateOfDay(TODAY - 1 - age + i));
  const each = (count: number): number[] => days.map(() => count);
  const figures: BaseFigures = {
    ...{ version: 1, days, warning: null, widening: 1 },
    placements: { [placementId]: { available: each(10 * p50), p10: each(10 * p10), p90: each(10 * p90), sold: each(p50) } },
    lineItems: { [String(lineItemIds[0])]: { p10: each(p10), p50: each(p50), p90: each(p90) } },
    bookings: {},
  };
  await createForecastStore({ knex }).keepBase(publisherId, days[0]!, figures, []);
};

const came = async (booking: Booking, day: string, impressions: number, requests: number): Promise<void> => {
  const { publisherId, placementId, campaignId, lineItemIds, creativeIds } = booking;
  const ids = { publisher_id: publisherId, campaign_id: campaignId, line_item_id: lineItemIds[0], creative_id: creativeIds[0] };
  await knex('daily_counts').insert({ day, ...ids, impressions });
  await knex('request_days').insert({ day, publisher_id: publisherId, placement_id: placementId, reason: '', size: '300x250', requests });
};

const nightly = (now = NOW) => {
  const refreshed: (readonly [number, string])[] = [];
  const forecasts = { refreshBase: (publisherId: number, madeOn: string) => void refreshed.push([publisherId, madeOn]) };
  const onFailure = (fault: Error): void => {
    throw fault;
  };
  return { refreshed, ...createNightlyForecasts({ knex, forecasts, now: () => now, onFailure }) };
};

it('compares forecasts of 1, 7 and 28 days with the day that has ended where the publisher is, once', async () => {
  const booking = await inTokyo();
  const { publisherId, placementId, lineItemIds } = booking;
  await forecastOf(booking, 1, [90, 100, 110]);
  await forecastOf(booking, 7, [100, 120, 140]);
  await forecastOf(booking, 28, [150, 200, 250]);
  await came(booking, YESTERDAY, 125, 1_250);
  // Today is not compared: it has not ended.
  await came(booking, dateOfDay(TODAY), 1, 1);
  const early = nightly(NOW - 2 * 3_600_000);
  expect(await early.pass()).toEqual([]);
  const night = nightly();
  expect(await night.pass()).toEqual([publisherId]);
  expect(night.refreshed).toEqual([[publisherId, dateOfDay(TODAY)]]);
  // Another replica finds the night's work done.
  expect(await nightly().pass()).toEqual([]);

  const question = { publisherId, from: YESTERDAY, to: YESTERDAY };
  const all = await readForecastErrors(knex, question);
  expect(all.map(({ subject, age, compared, mean_error, held }) => [subject, age, compared, Number(mean_error.toFixed(3)), held])).toEqual([
    ['line_item', 1, 1, 0.2, 0],
    ['line_item', 7, 1, 0.04, 1],
    ['line_item', 28, 1, 0.6, 0],
    ['placement', 1, 1, 0.2, 0],
    ['placement', 7, 1, 0.04, 1],
    ['placement', 28, 1, 0.6, 0],
  ]);
  const each = await readForecastErrors(knex, { ...question, subject: 'placement' });
  expect(new Set(each.map(({ key }) => key))).toEqual(new Set([placementId]));
  expect(await readForecastErrors(knex, { ...question, subject: 'line_item', key: String(lineItemIds[1]) })).toEqual([]);

  // Reports have those that were a week old.
  const reported = await knex('forecast_days').where({ publisher_id: publisherId }).select('line_item_id', 'forecast', 'came', 'off');
  expect(reported).toEqual([{ line_item_id: lineItemIds[0], forecast: '120', came: '125', off: '5' }]);
  const ofRequests = await knex('request_forecast_days')
    .where({ publisher_id: publisherId })
    .select('placement_id', 'forecast', 'came', 'off');
  expect(ofRequests).toEqual([{ placement_id: placementId, forecast: '1200', came: '1250', off: '50' }]);

  const errorsOf = createErrorGauges(knex);
  expect((await errorsOf('line_item', 'mean_error')())['7']).toBeCloseTo(0.04);
  expect((await errorsOf('placement', 'held')())['28']).toBe(0);
});

it('makes up for a night that was missed, and takes late counts', async () => {
  const booking = await inTokyo();
  await forecastOf(booking, 1, [90, 100, 110]);
  await came(booking, YESTERDAY, 80, 1_000);
  await nightly().pass();
  const [first] = await readForecastErrors(knex, { publisherId: booking.publisherId, from: YESTERDAY, to: YESTERDAY });
  expect([first?.mean_error.toFixed(2), first?.held]).toEqual(['0.25', 0]);
  await knex('daily_counts').where({ publisher_id: booking.publisherId }).update({ impressions: 100 });
  expect(await nightly(NOW + DAY).pass()).toContain(booking.publisherId);
  const [again] = await readForecastErrors(knex, { publisherId: booking.publisherId, from: YESTERDAY, to: YESTERDAY });
  expect([again?.mean_error, again?.held]).toEqual([0, 1]);
});

it('widens ranges by what was measured, until they hold 80 per cent, and does not narrow them', async () => {
  const { publisherId } = await inTokyo();
  const store = async (count: number, actual: (i: number) => number, widening: number): Promise<void> => {
    await knex('forecast_errors').where({ publisher_id: publisherId }).delete();
    await knex('forecast_errors').insert(
      Array.from({ length: count }, (_, i) => ({
        ...{ publisher_id: publisherId, day: YESTERDAY, age: 1, subject: 'line_item', key: String(i), widening },
        ...{ p10: 900, p50: 1_000, p90: 1_100, actual: actual(i) },
      })),
    );
  };
  // Errors are spread evenly up to twice the range: 80 per cent are within 1.6 of it.
  const off = (i: number): number => 1_000 + (i % 2 === 0 ? 1 : -1) * 2 * i;
  await store(100, off, 1);
  expect(await readWidening(knex, publisherId)).toBeCloseTo(1.6, 1);
  // The same ranges were widened already: without that they would have held fewer.
  await store(100, off, 1.5);
  expect(await readWidening(knex, publisherId)).toBeCloseTo(2.4, 1);
  await store(100, () => 1_010, 1);
  expect(await readWidening(knex, publisherId)).toBe(1);
  // Of a few comparisons nothing is concluded.
  await store(50, off, 1);
  expect(await readWidening(knex, publisherId)).toBe(1);
});
