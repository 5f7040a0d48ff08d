import knexFactory, { type Knex } from 'knex';
import { dateOfDay, dayOf } from '../../src/base/utc-day.ts';
import { figuresOf, type BaseFigures } from '../../src/forecast/base-figures.ts';
import { createForecastStore } from '../../src/forecast/forecast-store.ts';
import { createForecaster, NothingKnown, type ForecastQuestion } from '../../src/forecast/forecaster.ts';
import type { ForecastAnswer } from '../../src/forecast/forecast-answer.ts';
import { DRAFT_ID } from '../../src/forecast/with-draft.ts';
import { book, type Booking, type BookingOptions } from '../../testkit/book.ts';
import { testDatabase } from '../setup/test-database.ts';
import { countSampled, live, VISITS_A_DAY } from './live.ts';

const DAY = 86_400_000;

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

const forecaster = () => createForecaster({ knex, dimensions: new Map(), pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, tokenTtlMs: 1_800_000 });

const ask = async (question: Omit<ForecastQuestion, 'nowMs' | 'models'>, of = forecaster()) => {
  const sampled: ForecastAnswer[] = [];
  const answer = await of.answer(
    { ...question, nowMs: Date.now(), models: {} },
    { onSampled: (one) => sampled.push(one), onPause: () => Promise.resolve() },
  );
  return { answer, sampled: sampled[0]! };
};

/** A booking on a placement with two weeks of visitors. */
const bookLive = async (lineItems: BookingOptions['lineItems'] = [{}]): Promise<Booking> => {
  const booking = await book(knex, { lineItems });
  await live(knex, booking, Date.now());
  return booking;
};

it('says that nothing is known before the first whole day of requests has ended', async () => {
  const { publisherId, lineItemIds } = await book(knex);
  await expect(ask({ publisherId, lineItemId: lineItemIds[0], draft: undefined })).rejects.toThrow(NothingKnown);
});

it('forecasts a goal that is reached, a cap that binds, and what is free', async () => {
  const booking = await bookLive([
    { pacing: 'Even', goal_impressions: 600, priority: 1 },
    { priority: 2, targeting: { countries: ['FI'] }, frequency_cap: 1, frequency_window_s: 86_400 },
    { priority: 3 },
  ]);
  const [goal, capped] = booking.lineItemIds;
  // Yesterday 700 of 1,000 impressions were in view.
  const ids = {
    publisher_id: booking.publisherId,
    campaign_id: booking.campaignId,
    line_item_id: capped,
    creative_id: booking.creativeIds[1],
  };
  const yesterday = dateOfDay(dayOf(Date.now()) - 1);
  await knex('daily_counts').insert({ ...ids, day: yesterday, serves: 1_100, impressions: 1_000 });
  await knex('report_days').insert({ ...ids, day: yesterday, placement_id: booking.placementId, reason: '', viewable: 700 });
  const first = await ask({ publisherId: booking.publisherId, lineItemId: goal, draft: undefined });
  expect(first.answer.basis).toBe('replay');
  // Its flight ends after the days that are forecast, which get their part of the goal.
  expect(first.answer.delivery.p50).toBeGreaterThan(500);
  expect(first.answer.delivery.p90).toBeLessThanOrEqual(600);
  expect(first.answer.available).toBeGreaterThan(0.9 * 29 * VISITS_A_DAY);
  expect(first.answer.available).toBeLessThan(1.1 * 29 * VISITS_A_DAY);
  expect(first.answer.delivery.by_day).toHaveLength(29);
  expect(first.sampled.basis).toBe('sample');
  const second = await ask({ publisherId: booking.publisherId, lineItemId: capped, draft: undefined });
  expect(second.answer.available / first.answer.available).toBeCloseTo(1 / 3, 1);
  expect(second.answer.binding.map(({ reason }) => reason)).toContain('frequency_capped');
  expect(second.answer.delivery.p50).toBeLessThan(second.answer.available);
  // As little as is known is mixed with what is usual.
  expect(second.answer.viewable! / second.answer.delivery.p50).toBeCloseTo(0.69, 1);
  expect(first.answer.viewable! / first.answer.delivery.p50).toBeCloseTo(0.67, 1);
});

it('names whom a draft displaces, and stores nothing of it', async () => {
  const booking = await bookLive([{ priority: 2 }]);
  const [below] = booking.lineItemIds;
  const row = await knex('line_items').where({ id: below }).first<Record<string, unknown>>('*');
  const draft = {
    lineItemId: DRAFT_ID,
    rows: {
      line_items: [{ ...row, id: DRAFT_ID, name: 'draft', priority: 1, pacing: 'Even', goal_impressions: 1_500 }],
      creatives: [
        {
          id: DRAFT_ID,
          line_item_id: DRAFT_ID,
          placement_id: booking.placementId,
          more_placement_ids: [],
          format: 'html',
          content: 'draft',
        },
      ],
    },
  };
  const of = forecaster();
  const { answer } = await ask({ publisherId: booking.publisherId, lineItemId: undefined, draft }, of);
  expect(answer.delivery.p50).toBeGreaterThan(1_300);
  expect(answer.displaced.map(({ line_item_id }) => line_item_id)).toEqual([below]);
  expect(answer.displaced[0]!.impressions).toBeGreaterThan(1_000);
  expect(await knex('line_items').where({ id: DRAFT_ID })).toEqual([]);
  const [item] = draft.rows.line_items;
  const impossible = {
    ...draft,
    rows: { ...draft.rows, line_items: [{ ...item, goal_impressions: 20_000, end_at: new Date(Date.now() + 10 * DAY) }] },
  };
  const { answer: short } = await ask({ publisherId: booking.publisherId, lineItemId: undefined, draft: impossible }, of);
  expect(short.delivery.p90).toBeLessThan(20_000 * 0.9);
  expect(short.remedies.map(({ change }) => change)).toContain('longer');
});

it('names the line items that fall short of their goals, with what would help most', async () => {
  const booking = await bookLive([
    { pacing: 'Even', goal_impressions: 300, priority: 1 },
    { pacing: 'Even', goal_impressions: 9_000, priority: 2, targeting: { countries: ['FI'] } },
    { pacing: 'Even', goal_impressions: 9_000, priority: 1, active: false },
  ]);
  const short = await forecaster().short(booking.publisherId, Date.now(), () => Promise.resolve());
  expect(short.map(({ lineItemId }) => lineItemId)).toEqual([booking.lineItemIds[1]]);
  expect(short[0]!.goal).toBe(9_000);
  expect(short[0]!.expected).toBeGreaterThan(500);
  expect(short[0]!.expected).toBeLessThan(short[0]!.due / 2);
  expect(short[0]!.remedy?.words).toBe('take its targeting away');
  expect(short[0]!.remedy!.p50).toBeGreaterThan(short[0]!.expected);
});

it('would rank a line item higher that is never shown, and knows no change for one without a creative', async () => {
  const booking = await bookLive([
    { priority: 2 },
    { pacing: 'Even', goal_impressions: 2_000, priority: 3 },
    { pacing: 'Even', goal_impressions: 1_000, priority: 1 },
  ]);
  const [, outranked, bare] = booking.lineItemIds;
  await knex('creatives').where({ line_item_id: bare }).delete();
  const short = await forecaster().short(booking.publisherId, Date.now(), () => Promise.resolve());
  expect(short).toMatchObject([
    { lineItemId: outranked, expected: 0, lacksCreative: false, remedy: { change: 'higher_priority', words: 'give it priority 1' } },
    { lineItemId: bare, expected: 0, lacksCreative: true, remedy: null },
  ]);
  expect(short[0]!.remedy!.p50).toBeGreaterThan(1_000);
});

it('would raise a price that is beaten, and add a placement that a creative fits, each with what it would bring', async () => {
  const booking = await bookLive([
    { pacing: 'Even', goal_impressions: 9_000, priority: 2, cpm_micros: 4_000_000 },
    { priority: 2, cpm_micros: 5_000_000 },
  ]);
  const more = `${booking.placementId}-more`;
  await knex.raw(
    `insert into placements select (jsonb_populate_record(p, jsonb_build_object('id', ?::text))).* from placements p where id = ?`,
    [more, booking.placementId],
  );
  await live(knex, { ...booking, placementId: more }, Date.now());
  const [short] = booking.lineItemIds;
  await knex('line_items')
    .where({ id: short })
    .update({ placement_ids: [booking.placementId] });
  await knex('creatives').where({ line_item_id: short }).update({ follows_line_item: true });
  const { remedies, delivery } = (await ask({ publisherId: booking.publisherId, lineItemId: short, draft: undefined })).answer;
  const found = new Map(remedies.map((remedy) => [remedy.change, remedy]));
  expect(found.get('higher_price')).toMatchObject({ words: 'raise its price to $5.01 CPM', fields: { cpm: 5.01 } });
  expect(found.get('more_placements')).toMatchObject({
    words: `show it on ${more} too`,
    fields: { placement_ids: [booking.placementId, more] },
  });
  for (const change of ['higher_price', 'more_placements'] as const) expect(found.get(change)!.p50).toBeGreaterThan(delivery.p50 + 1_000);
});

it('estimates within seconds of work among 2,000 line items, from a part of a large sample', async () => {
  const booking = await book(knex, { lineItems: [{ priority: 1, goal_impressions: 100_000, pacing: 'Even' }] });
  const { publisherId, placementId, lineItemIds } = booking;
  await knex.raw(
    `with items as (
       insert into line_items (campaign_id, name, active, cpm_micros, priority, start_at, end_at)
       select campaign_id, 'item ' || n, true, 1000000 + 1000 * n, 2, start_at, end_at from line_items, generate_series(2, 2000) n where id = ? returning id
     ) insert into creatives (placement_id, line_item_id, format, content) select ?, id, 'html', '<b>ad</b>' from items`,
    [lineItemIds[0]!, placementId],
  );
  await knex.raw(
    `insert into traffic_sample (publisher_id, at, weight, visitor, page_view, remembered, placements, sizes, pairs)
     select ?, now() - n * interval '7 seconds', 1, 'v' || n % 9973, 0, true, array[?], array[''], array['countries7:country=FI']
     from generate_series(1, 150000) n`,
    [publisherId, placementId],
  );
  await countSampled(knex, publisherId);
  const of = forecaster();
  const begun = process.cpuUsage();
  const sampled = await new Promise<ForecastAnswer>((resolve, reject) => {
    of.answer(
      { publisherId, lineItemId: lineItemIds[0], draft: undefined, nowMs: Date.now(), models: {} },
      { onSampled: resolve, onPause: () => Promise.reject(new Error('enough')) },
    ).catch(reject);
  });
  const { user, system } = process.cpuUsage(begun);
  // Less than two on a calm machine, and up to four in a slow hour.
  expect((user + system) / 1e6).toBeLessThan(8);
  // A request each seven seconds, of which a part was read.
  expect(Math.abs(sampled.available / ((29 * DAY) / 7_000) - 1)).toBeLessThan(0.1);

  // What is free by country, too, where each of them is booked there.
  const days = Array.from({ length: 29 }, (_, i) => dateOfDay(dayOf(Date.now()) + i));
  const each = (count: number): number[] => days.map(() => count);
  const ids = await knex('line_items')
    .join('creatives', 'line_item_id', 'line_items.id')
    .where({ placement_id: placementId })
    .pluck<number[]>('line_items.id');
  expect(ids).toHaveLength(2_000);
  const bookings = { [placementId]: Object.fromEntries(ids.map((id) => [id, each(2)])) };
  const figures = { [placementId]: { available: each(12_000), p10: each(11_000), p90: each(13_000), sold: each(4_000) } };
  const base: BaseFigures = { version: 1, days, placements: figures, lineItems: {}, bookings, warning: null, widening: 1 };
  await createForecastStore({ knex }).keepBase(publisherId, days[0]!, base, []);
  const before = process.cpuUsage();
  const { cuts } = await of.availability({ publisherId, nowMs: Date.now(), by: 'country' });
  const spent = process.cpuUsage(before);
  expect((spent.user + spent.system) / 1e6).toBeLessThan(8);
  expect(cuts.map(({ key, available, sold }) => [key, available[9], sold[9]])).toEqual([['FI', 12_000, 4_000]]);
});

it('keeps a replay until a booking of its publisher changes or its traffic does', async () => {
  const { publisherId, placementId, lineItemIds } = await bookLive([{ pacing: 'Even', goal_impressions: 600 }, { priority: 2 }]);
  const nowMs = Date.now();
  const of = forecaster();
  const paused: number[] = [];
  const again = async () => {
    paused.length = 0;
    return of.baseline(publisherId, nowMs, (done) => Promise.resolve(void paused.push(done)));
  };
  const first = await again();
  expect(paused.length).toBeGreaterThan(1);
  // Of another publisher: the catalog has another version.
  await book(knex);
  const second = await again();
  expect(second.version).toBeGreaterThan(first.version);
  expect(paused).toEqual([1]);
  expect(second.prediction.lineItems).toEqual(first.prediction.lineItems);
  await knex('line_items').where({ id: lineItemIds[0] }).update({ goal_impressions: 300 });
  const third = await again();
  expect(third.prediction.lineItems).toEqual(
    (await forecaster().baseline(publisherId, nowMs, () => Promise.resolve())).prediction.lineItems,
  );
  expect(third.prediction.lineItems.get(lineItemIds[0]!)!.p50).toBeLessThan(first.prediction.lineItems.get(lineItemIds[0]!)!.p50);
  const night = { publisher_id: publisherId, name: 'night', from_at: new Date(nowMs + DAY), to_at: new Date(nowMs + 2 * DAY), factor: 3 };
  await knex('traffic_events').insert({ ...night, placements: [placementId], key_values: '{}' });
  const fourth = await again();
  expect(fourth.prediction.middle.opportunities).toBeGreaterThan(third.prediction.middle.opportunities + VISITS_A_DAY);
});

it('ends where it is told to', async () => {
  const booking = await bookLive();
  const question = {
    publisherId: booking.publisherId,
    lineItemId: booking.lineItemIds[0],
    draft: undefined,
    nowMs: Date.now(),
    models: {},
  };
  const onPause = (): Promise<void> => Promise.reject(new Error('cancelled'));
  await expect(forecaster().answer(question, { onSampled: () => undefined, onPause })).rejects.toThrow('cancelled');
});

it('says what the sample has of one question while it replays for another, whose answer is the same', async () => {
  const booking = await bookLive([{ pacing: 'Even', goal_impressions: 600 }, { priority: 3 }]);
  const nowMs = Date.now();
  const [first, second] = booking.lineItemIds.map((lineItemId) => ({
    ...{ publisherId: booking.publisherId, lineItemId, draft: undefined, nowMs, models: {} },
  }));
  const of = forecaster();
  const between: ForecastAnswer[] = [];
  const onPause = async (): Promise<void> => {
    if (between.length === 0) between.push(await of.sample(second!));
  };
  const disturbed = await of.answer(first!, { onSampled: () => undefined, onPause });
  expect(between[0]).toMatchObject({ basis: 'sample', goal: null });
  expect(between[0]!.available).toBeGreaterThan(1_000);
  const alone = await forecaster().answer(first!, { onSampled: () => undefined, onPause: () => Promise.resolve() });
  expect(disturbed).toEqual(alone);
});

it('knows who gets what from the replay that another process has stored', async () => {
  const booking = await bookLive([{ priority: 1 }, { priority: 2 }]);
  const nowMs = Date.now();
  const made = await forecaster().baseline(booking.publisherId, nowMs, () => Promise.resolve());
  await createForecastStore({ knex }).keepBase(booking.publisherId, dateOfDay(dayOf(nowMs)), figuresOf(made, dateOfDay), []);
  const question = { publisherId: booking.publisherId, lineItemId: booking.lineItemIds[1], draft: undefined, nowMs, models: {} };
  const sampled = await forecaster().sample(question);
  expect(sampled.free).toBeLessThan(0.1 * sampled.available);
  expect(sampled.warning ?? '').not.toContain('not considered');
});
