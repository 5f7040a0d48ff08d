import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { FORECAST_DAYS } from '../../src/forecast/forecast-days.ts';
import { borrowTargeting } from '../../src/forecast/replay/borrow-targeting.ts';
import { comingDays } from '../../src/forecast/replay/coming-days.ts';
import { predict } from '../../src/forecast/replay/predict.ts';
import { runReplay } from '../../src/forecast/replay/run-replay.ts';
import { bookCatalog } from '../../testkit/invented-site/bookings.ts';
import { createLife } from '../../testkit/invented-site/life.ts';
import { createLivedSite } from '../../testkit/invented-site/lived-site.ts';
import { requestOf } from '../../testkit/invented-site/visits.ts';
import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';

const START_MS = Date.UTC(2026, 2, 2);
const HISTORY_DAYS = 14;
const OPPORTUNITIES_A_DAY = 50_000;
/** Impressions that a page view of the invented site asks for. */
const A_VIEW = 1.6;
const SEED = 21;

/** How fast the bookings of a publisher are replayed, in a thread without stores. */
export const forecast = async ({ say }: Rig, { quick }: Scale): Promise<Finding> => {
  const [lineItems, days, aDay] = quick ? [200, 4, OPPORTUNITIES_A_DAY / 10] : [2_000, FORECAST_DAYS, OPPORTUNITIES_A_DAY];
  const options = { ...(await livedSite(lineItems, aDay)), days };
  const coming = comingDays(options);
  const [once, { opportunities }] = await timed(() =>
    runReplay({ ...options, before: coming.before, scale: coming.scale, days: coming.days(() => 1), offsetMs: () => 0 }),
  );
  const perSecond = opportunities / coming.scale / once;
  say(`  ${whole(opportunities)} opportunities in ${once.toFixed(1)} s`);
  const [whole3] = await timed(() => predict(options));
  return {
    title: 'Forecast',
    text: [
      tableOf(
        [`${days} days of ${whole(aDay)} opportunities, ${whole(lineItems)} line items`, 'opportunities', 'CPU s'],
        [
          ['one replay', whole(opportunities), once.toFixed(1)],
          ['a forecast: as much traffic as is expected, less and more', whole(3 * opportunities), whole3.toFixed(1)],
        ],
      ),
      `${whole(perSecond)} opportunities a second of one core.`,
    ].join('\n\n'),
    goals: [
      atMost(`${days} days of ${whole(aDay)} opportunities a day with ${whole(lineItems)} line items, replayed on one core, s`, 60, once),
    ],
  };
};

/** CPU seconds of this process, and what came of it. */
const timed = async <T>(work: () => Promise<T>): Promise<readonly [seconds: number, made: T]> => {
  const begun = process.cpuUsage();
  const made = await work();
  const { user, system } = process.cpuUsage(begun);
  return [(user + system) / 1e6, made];
};

const livedSite = async (lineItems: number, aDay: number) => {
  const viewsADay = aDay / A_VIEW;
  const life = createLife({ seed: SEED, startMs: START_MS, viewsADay });
  const { rows } = bookCatalog({ life, seed: SEED + 1, startMs: START_MS, lineItems, impressionsADay: aDay, zone: 'UTC' });
  const site = createLivedSite(1);
  const publisher = (await site.snapshotAt(rows, START_MS)).publishers.get(1)!;
  for (let day = 0; day < HISTORY_DAYS; day++) for (const view of life.dayOf(day)) site.note(requestOf(publisher, view));
  const nowMs = START_MS + HISTORY_DAYS * MS_PER_DAY;
  return {
    ...{ snapshot: await site.snapshotAt(rows, nowMs), publisherId: 1, nowMs, zone: 'UTC', zoneOffset: createZoneOffset() },
    ...{ sample: borrowTargeting(site.sample), history: site.history, events: [], models: new Map<string, string>(), started: [] },
    ...{ replayedADay: OPPORTUNITIES_A_DAY, beforeMs: 3 * MS_PER_DAY, seed: SEED },
    rates: { renderRate: () => 0.85, clickRate: () => 0.001, viewableRate: () => 0.6, isViewKnown: false },
    ...{ pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, tokenTtlMs: 30 * MS_PER_MINUTE, pause: () => Promise.resolve() },
  };
};
