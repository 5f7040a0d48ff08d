import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import { comingDays } from '../../src/forecast/replay/coming-days.ts';
import { createKeptReplays, type KeptReplays } from '../../src/forecast/replay/kept-replays.ts';
import { predict } from '../../src/forecast/replay/predict.ts';
import { runReplay, type ReplayResult } from '../../src/forecast/replay/run-replay.ts';
import { bookCatalog, type BookedCatalog } from '../../testkit/invented-site/bookings.ts';
import { createLife } from '../../testkit/invented-site/life.ts';
import { createLivedSite } from '../../testkit/invented-site/lived-site.ts';
import { requestOf } from '../../testkit/invented-site/visits.ts';

const START_MS = Date.UTC(2026, 2, 2);
const HISTORY_DAYS = 14;
const NOW_MS = START_MS + HISTORY_DAYS * MS_PER_DAY;
const VIEWS_A_DAY = 200;

type Rows = BookedCatalog['rows'];

/** A site whose bookings are each of one section, but for a house ad without limits on all placements. */
const bookedSite = async () => {
  const life = createLife({ seed: 5, startMs: START_MS, viewsADay: VIEWS_A_DAY });
  const { rows } = bookCatalog({ life, seed: 6, startMs: START_MS, lineItems: 40, impressionsADay: VIEWS_A_DAY * 1.6, zone: 'UTC' });
  const sectionOf = new Map(life.places.map(({ id, section }) => [id, section]));
  const inSection = (row: CatalogRow): CatalogRow => ({
    ...row,
    more_placement_ids: (row['more_placement_ids'] as string[]).filter(
      (id) => sectionOf.get(id) === sectionOf.get(String(row['placement_id'])),
    ),
  });
  const [first] = rows.line_items;
  const house = { ...first, id: 900, priority: 3, pacing: 'ASAP', cpm_micros: 10_000, targeting: {}, schedule: [] };
  const unlimited = {
    ...{ goal_impressions: null, daily_impression_cap: null, daily_spend_cap_micros: null },
    ...{ frequency_cap: null, frequency_window_s: null, frequency_caps: [] },
  };
  const [place, ...more] = life.places.map(({ id }) => id);
  const site = createLivedSite(1);
  const booked: Rows = {
    ...rows,
    line_items: [...rows.line_items, { ...house, ...unlimited }],
    creatives: [
      ...rows.creatives.map(inSection),
      { id: 900, line_item_id: 900, placement_id: place, more_placement_ids: more, format: 'html', content: 'house' },
    ],
  };
  const publisher = (await site.snapshotAt(booked, START_MS)).publishers.get(1)!;
  for (let day = 0; day < HISTORY_DAYS; day++) for (const view of life.dayOf(day)) site.note(requestOf(publisher, view));
  return { site, booked, sectionOf };
};

const optionsOf = async ({ site }: Pick<Awaited<ReturnType<typeof bookedSite>>, 'site'>, rows: Rows) => ({
  ...{ snapshot: await site.snapshotAt(rows, NOW_MS), publisherId: 1, nowMs: NOW_MS, days: 4, zone: 'UTC', zoneOffset: createZoneOffset() },
  ...{ sample: site.sample, history: site.history, events: [], models: new Map(), replayedADay: 50_000, beforeMs: MS_PER_DAY, started: [] },
  rates: { renderRate: () => 0.85, clickRate: () => 0.01, viewableRate: () => 0.6, isViewKnown: false },
  ...{ pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, tokenTtlMs: 30 * MS_PER_MINUTE, seed: 9, pause: () => Promise.resolve() },
});

/** As lists in one order. */
const listed = ({ lineItems, opportunities }: ReplayResult) => ({
  opportunities,
  lineItems: [...lineItems]
    .map(([id, { impressions, refusals }]) => [id, ...[impressions, refusals].map((map) => [...map].sort())])
    .sort(([a], [b]) => Number(a) - Number(b)),
});

const changed = (rows: Rows, id: number, change: CatalogRow): Rows => ({
  ...rows,
  line_items: rows.line_items.map((row) => (row['id'] === id ? { ...row, ...change } : row)),
});

let world: Awaited<ReturnType<typeof bookedSite>>;
beforeAll(async () => {
  world = await bookedSite();
});

const predicted = async (rows: Rows, kept: KeptReplays) => predict({ ...(await optionsOf(world, rows)), kept });

it('replays groups that share no bookings to the very numbers of one replay of all', async () => {
  const options = await optionsOf(world, world.booked);
  expect(options.snapshot.quarantined).toEqual([]);
  const { middle } = await predict(options);
  const coming = comingDays(options);
  const whole = await runReplay({
    ...{ ...options, before: coming.before, scale: coming.scale, days: coming.days(() => 1) },
    offsetMs: () => 0,
  });
  expect(listed(middle)).toEqual(listed(whole));
  expect(middle.lineItems.size).toBeGreaterThan(25);
  expect(middle.lineItems.has(900)).toBe(true);
  const shown = [...middle.lineItems.values()].flatMap(({ impressions }) => [...impressions.values()]);
  expect(shown.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
});

it('replays after a change only the group that it concerns, and predicts what a whole replay does', async () => {
  const kept = createKeptReplays();
  const first = await predicted(world.booked, kept);
  const groups = kept.size;
  expect(groups).toBeGreaterThanOrEqual(5);
  const again = await predicted(world.booked, kept);
  expect(kept.size).toBe(groups);
  expect(again.lineItems).toEqual(first.lineItems);

  const [busiest] = [...first.lineItems].filter(([id]) => id < 900).sort(([, a], [, b]) => b.p50 - a.p50)[0]!;
  const paused = changed(world.booked, busiest, { active: false });
  const after = await predicted(paused, kept);
  const anew = await predicted(paused, createKeptReplays());
  expect(kept.size).toBe(groups + 1);
  expect(after.lineItems).toEqual(anew.lineItems);
  expect(after.sold).toEqual(anew.sold);
  expect(after.lineItems.has(busiest)).toBe(false);
});

it('joins placements by what counts on them', async () => {
  const kept = createKeptReplays();
  await predicted(changed(world.booked, 900, { active: false }), kept);
  const groups = kept.size;
  await predicted(changed(world.booked, 900, { end_at: new Date(START_MS), end_date: new Date(START_MS).toISOString() }), kept);
  expect(kept.size).toBe(groups);
  await predicted(changed(world.booked, 900, { goal_impressions: 500 }), kept);
  expect(kept.size).toBe(groups + 1);
});
