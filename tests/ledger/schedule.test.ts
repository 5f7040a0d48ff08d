import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { createDayRules, UTC_DAYS } from '../../src/base/local-day.ts';
import { scheduleOf, servesAgainAt } from '../../src/catalog/model/schedule.ts';
import { createScheduledCurves } from '../../src/catalog/snapshot/scheduled-curve.ts';
import { curveAt, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
import { halfHourAt, halfHoursIn, hoursOffered, hoursWanted, WEEK_DAYS, type DayPart } from '../../src/targeting/week-hours.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../../testkit/sample-booking.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { NO_SALES_RULES } from '../../src/catalog/model/entities.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;
/** A Tuesday. */
const MIDNIGHT = Date.UTC(2026, 2, 10);

const zoneOffset = createZoneOffset();

test.each([
  ['UTC', '2026-03-10T12:00:00Z', 0],
  ['Europe/Berlin', '2026-03-29T00:59:00Z', 1],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 2],
  ['America/Sao_Paulo', '2026-07-01T00:00:00Z', -3],
  ['America/New_York', '2026-11-01T05:59:00Z', -4],
  ['America/New_York', '2026-11-01T06:00:00Z', -5],
  ['Australia/Lord_Howe', '2026-04-04T14:59:00Z', 11],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 10.5],
  ['Asia/Kathmandu', '2026-04-04T15:00:00Z', 5.75],
])('the clock of %s at %s is %d hours before UTC', (zone, at, hours) => {
  expect(zoneOffset(zone, Date.parse(at))).toBe(hours * HOUR);
});

test('whole hours are one value of the index, and half ones are another', () => {
  const halves = halfHoursIn([{ days: ['mon', 'sun'], from: '08:30', to: '10:00' }]);
  expect(hoursWanted('publisher', halves)).toEqual(['p8.1', 'p9', 'p152.1', 'p153']);
  expect(hoursOffered('publisher', halfHourAt(Date.parse('2026-03-09T08:45:00Z'), 0))).toEqual(['p8', 'p8.1']);
  expect(halfHoursIn([{ days: [...WEEK_DAYS], from: '00:00', to: '24:00' }])).toHaveLength(336);
});

test.each([
  ['a minute before', '2026-03-10T08:59:00Z', '2026-03-10T09:00:00.000Z'],
  ['in them', '2026-03-10T09:00:00Z', undefined],
  ['in their last half hour', '2026-03-10T11:29:00Z', undefined],
  ['after them', '2026-03-10T11:30:00Z', '2026-03-17T09:00:00.000Z'],
  ['in the week in which clocks go forward', '2026-03-24T12:00:00Z', '2026-03-31T08:00:00.000Z'],
])('the hours of a Tuesday in Berlin begin again: %s', (_, at, again) => {
  const parts: readonly DayPart[] = [{ days: ['tue'], from: '10:00', to: '12:30' }];
  const atMs = Date.parse(at);
  const days = createDayRules(zoneOffset)('Europe/Berlin', atMs);
  const found = servesAgainAt(scheduleOf(parts, 'publisher')!, atMs, days);
  expect(found && new Date(found).toISOString()).toBe(again);
  expect(servesAgainAt(scheduleOf(parts, 'visitor')!, atMs, days)).toBeUndefined();
});

interface Simulated {
  readonly parts: readonly DayPart[];
  readonly zone?: string;
  readonly days: number;
  readonly item: Partial<LineItem>;
  readonly requestsAMinute: number;
  readonly fromMs?: number;
}

let rig: LedgerRig;
beforeAll(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});

let nextId = 1;

/** Impressions by UTC day and half hour, of a request every so often through whole days: each selection renders. */
const simulate = async ({
  parts,
  zone = 'UTC',
  days,
  item,
  requestsAMinute,
  fromMs = MIDNIGHT,
}: Simulated): Promise<readonly number[][]> => {
  const id = nextId++;
  const flight = { startMs: fromMs, endMs: fromMs + days * DAY };
  const campaign = sampleCampaign({ id, flight });
  const schedule = scheduleOf(parts, 'publisher');
  const lineItem = sampleLineItem({ id, campaignId: id, flight, pacing: 'Even', sales: { ...NO_SALES_RULES, schedule }, ...item });
  const creative = sampleCreative(lineItem.id);
  const candidate = { creative, lineItem, campaign, ecpmMicros: 1000, priceMicros: 1, expectedMicros: 1, position: 0, bid: -1 };
  const curves = createScheduledCurves({ zoneOffset, zoneOf: () => zone, trafficOf: () => undefined, daysOf: () => UTC_DAYS });
  const on = new Set(schedule?.halfHours);
  const delivered = Array.from({ length: days }, () => Array<number>(48).fill(0));
  for (let atMs = fromMs; atMs < flight.endMs; atMs += MINUTE) {
    if (!on.has(halfHourAt(atMs, zoneOffset(zone, atMs)))) continue;
    await rig.at(atMs);
    const curve: TrafficCurve = { ...curveAt(atMs), scheduled: (one, of) => curves(one, of, atMs) };
    for (let request = 0; request < requestsAMinute; request++) {
      const [imp] = (await rig.reserve([[candidate]], null, curve)).imps;
      if (imp?.moments) delivered[Math.floor((atMs - fromMs) / DAY)]![Math.floor(((atMs - fromMs) % DAY) / (HOUR / 2))]!++;
    }
  }
  return delivered;
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
const EVENINGS: readonly DayPart[] = [{ days: [...WEEK_DAYS], from: '08:00', to: '12:00' }];

test('a line item of four hours a day reaches its daily cap in them, evenly', async () => {
  const [day] = await simulate({ parts: EVENINGS, days: 1, item: { dailyImpressionCap: 480 }, requestsAMinute: 4 });
  expect(sum(day!)).toBeGreaterThanOrEqual(471);
  expect(sum(day!)).toBeLessThanOrEqual(480);
  const hours = day!.slice(16, 24);
  for (const count of hours) expect(count).toBeGreaterThan(50);
  for (const count of hours) expect(count).toBeLessThan(72);
});

test('a goal of a flight is spread over the hours of its days, also where clocks change', async () => {
  // In New York the second day has 25 hours: 01:00 to 03:00 is three of them.
  const parts: readonly DayPart[] = [{ days: [...WEEK_DAYS], from: '01:00', to: '03:00' }];
  const goals = { impressions: 700, clicks: null, frontload: 0 };
  const fromMs = Date.UTC(2026, 9, 31);
  const delivered = await simulate({ parts, zone: 'America/New_York', days: 3, item: { goals }, requestsAMinute: 4, fromMs });
  const days = delivered.map(sum);
  expect(sum(days)).toBeGreaterThanOrEqual(686);
  expect(sum(days)).toBeLessThanOrEqual(700);
  // Two, three and two hours.
  for (const [i, expected] of [200, 300, 200].entries()) expect(Math.abs(days[i]! - expected)).toBeLessThan(20);
});
