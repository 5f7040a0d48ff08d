import { createDayRules, endOfDay, localDayOf, startOfDay, type DayRule } from '../../src/base/local-day.ts';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { curveAt, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { createAccountBooks } from '../../src/ledger/read/account-books.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, momentsOf, servedAd, type LedgerRig } from './ledger-rig.ts';

// Thousands of answers of Redis, one after the other.

const zoneOffset = createZoneOffset();
const ruleOf = createDayRules(zoneOffset);
const dateIn = (zone: string, atMs: number): string => new Date(atMs + zoneOffset(zone, atMs)).toISOString().slice(0, 10);
const ruleOn = (zone: string, date: string): { readonly rule: DayRule; readonly day: number; readonly startMs: number } => {
  const day = Date.parse(date) / DAY;
  const rule = ruleOf(zone, Date.parse(`${date}T12:00:00Z`));
  return { rule, day, startMs: startOfDay(rule, day) };
};
const curveIn = (zone: string, atMs: number): TrafficCurve => curveAt(atMs, undefined, undefined, ruleOf(zone, atMs));

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

/** Requests every few minutes; the reservations by the date that people see on the publisher's clocks. */
const reservedByDate = async (
  one: RankedCandidate,
  zone: string,
  fromMs: number,
  untilMs: number,
  stepMs: number,
  skews: readonly number[],
) => {
  const byDate: Record<string, number> = {};
  let request = 0;
  for (let atMs = fromMs; atMs < untilMs; atMs += stepMs) {
    await rig.at(atMs);
    const skewMs = skews[request++ % skews.length]!;
    const count = await rig.reserveMany(one, 3, null, curveIn(zone, atMs + skewMs));
    const date = dateIn(zone, atMs);
    byDate[date] = (byDate[date] ?? 0) + count;
  }
  return byDate;
};

describe('a daily cap', () => {
  test.each([
    ['America/New_York', '2026-03-07', ['2026-03-07', '2026-03-08', '2026-03-09']],
    ['America/New_York', '2026-10-31', ['2026-10-31', '2026-11-01', '2026-11-02']],
    ['America/Sao_Paulo', '2026-05-04', ['2026-05-04', '2026-05-05']],
    ['America/Sao_Paulo', '2018-11-03', ['2018-11-03', '2018-11-04', '2018-11-05']],
    ['America/Santiago', '2026-04-04', ['2026-04-04', '2026-04-05']],
    ['Australia/Lord_Howe', '2026-04-04', ['2026-04-04', '2026-04-05', '2026-04-06']],
    ['Australia/Lord_Howe', '2026-10-03', ['2026-10-03', '2026-10-04', '2026-10-05']],
    ['Asia/Kathmandu', '2026-05-04', ['2026-05-04', '2026-05-05']],
    ['Pacific/Kiritimati', '2026-05-04', ['2026-05-04', '2026-05-05']],
    ['Pacific/Pago_Pago', '2026-05-04', ['2026-05-04', '2026-05-05']],
  ])(
    'of %s from %s on is exactly delivered on each date of its clocks, also with replicas whose clocks are off',
    async (zone, first, dates) => {
      const { startMs } = ruleOn(zone, first);
      const last = ruleOn(zone, dates.at(-1)!);
      const one = candidate(lineItem({ dailyImpressionCap: 40 }));
      const byDate = await reservedByDate(one, zone, startMs, endOfDay(last.rule, last.day), 10 * MINUTE, [0, -20_000, 20_000]);
      expect(byDate).toEqual(Object.fromEntries(dates.map((date) => [date, 40])));
    },
  );

  test('is full until the last minute of the day, and free from its first millisecond', async () => {
    const { rule, day } = ruleOn('Asia/Kathmandu', '2026-05-04');
    const one = candidate(lineItem({ dailyImpressionCap: 2 }));
    const endMs = endOfDay(rule, day);
    for (const [atMs, count] of [
      [endMs - 23 * HOUR, 2],
      [endMs - 1, 0],
      [endMs, 2],
      [endMs + 12 * HOUR, 0],
    ] as const) {
      await rig.at(atMs);
      expect(await rig.reserveMany(one, 3, null, curveIn('Asia/Kathmandu', atMs))).toBe(count);
    }
  });
});

/** Reservations by hour of the day. */
const paced = async (zone: string, date: string, item: Partial<LineItem>): Promise<readonly number[]> => {
  const { rule, day, startMs } = ruleOn(zone, date);
  const flight = { startMs: 0, endMs: Date.UTC(2030, 0, 1) };
  const one = candidate(lineItem({ flight, ...item }), { campaign: campaign({ flight }) });
  const byHour: number[] = [];
  for (let atMs = startMs; atMs < endOfDay(rule, day); atMs += MINUTE) {
    const [, count] = await Promise.all([rig.at(atMs), rig.reserveMany(one, 2, null, curveIn(zone, atMs))]);
    const hour = Math.floor((atMs - startMs) / HOUR);
    byHour[hour] = (byHour[hour] ?? 0) + count;
  }
  return byHour;
};
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

describe('pacing', () => {
  test.each([
    ['Even', 'America/New_York', '2026-03-08', 23],
    ['PID', 'America/New_York', '2026-11-01', 25],
    ['Even', 'America/Sao_Paulo', '2026-05-04', 24],
    ['PID', 'Australia/Lord_Howe', '2026-04-05', 24.5],
    ['Even', 'Asia/Kathmandu', '2026-05-04', 24],
  ] as const)('%s spreads a cap over the whole day of %s, %s with %d hours', async (pacing, zone, date, hours) => {
    const cap = 600;
    const byHour = await paced(zone, date, { pacing, dailyImpressionCap: cap });
    expect(byHour.length).toBe(Math.ceil(hours));
    expect(sum(byHour)).toBeLessThanOrEqual(cap);
    expect(sum(byHour)).toBeGreaterThanOrEqual(0.98 * cap);
    const whole = byHour.slice(0, Math.floor(hours));
    // The first selection is allowed immediately, and a bucket is full at the beginning.
    for (const count of whole) expect(Math.abs(count - cap / hours)).toBeLessThan(8);
  });

  test('a goal of the flight gives a day of 23 hours its part', async () => {
    const { startMs } = ruleOn('America/New_York', '2026-03-07');
    const end = ruleOn('America/New_York', '2026-03-09');
    const flight = { startMs, endMs: endOfDay(end.rule, end.day) };
    const goals = { impressions: 710, clicks: null, frontload: 0 };
    const one = candidate(lineItem({ pacing: 'Even', flight, goals }));
    const byDate = await reservedByDate(one, 'America/New_York', startMs, flight.endMs, MINUTE, [0]);
    expect(sum(Object.values(byDate))).toBeGreaterThanOrEqual(696);
    expect(sum(Object.values(byDate))).toBeLessThanOrEqual(710);
    const expected = { '2026-03-07': 240, '2026-03-08': 230, '2026-03-09': 240 };
    for (const [date, count] of Object.entries(expected)) expect(Math.abs(byDate[date]! - count)).toBeLessThan(8);
  });
});

test('an ad counts on the day on which it was selected, by whichever script', async () => {
  const { rule, day } = ruleOn('America/Sao_Paulo', '2026-05-04');
  const midnightMs = endOfDay(rule, day);
  const one = candidate(lineItem({ dailyImpressionCap: 10 }));
  await rig.at(midnightMs - MINUTE);
  const before = await rig.reserve([[one]], null, curveIn('America/Sao_Paulo', midnightMs - MINUTE));
  expect(momentsOf(before).day).toBe(day);
  // At this moment UTC is a day ahead already.
  expect(Math.floor((midnightMs - MINUTE) / DAY)).toBe(day + 1);
  const [account] = await rig.accounts.lineItems(1, [1]);
  expect(account).toMatchObject({ day, today: { serves: 1 }, heldToday: 1 });
  await rig.at(midnightMs + MINUTE);
  await rig.settle(servedAd(before, one));
  const [after] = await rig.accounts.lineItems(1, [1]);
  expect(after).toMatchObject({ day: day + 1, today: { impressions: 0 }, yesterday: { serves: 1, impressions: 1 }, heldToday: 0 });
  const books = createAccountBooks({ redis: rig.redis, keys: rig.keys, expiresAtMs: () => Date.now() + DAY, clock: VIRTUAL_CLOCK_KEY });
  expect((await books.check(1, [{ kind: 'l', id: 1 }])).accounts).toMatchObject([{ day: day + 1, yesterdayImpressions: 1 }]);
});

test.each([
  ['UTC', 'America/Sao_Paulo'],
  ['America/Sao_Paulo', 'Asia/Tokyo'],
  ['Asia/Tokyo', 'America/Sao_Paulo'],
  ['Pacific/Kiritimati', 'Pacific/Pago_Pago'],
])('a publisher that moves from %s to %s, with ads out, gets no cap twice', async (before, after) => {
  const cap = 30;
  const one = candidate(lineItem({ dailyImpressionCap: cap }));
  const startMs = Date.UTC(2026, 4, 4);
  const changeMs = startMs + 30 * HOUR;
  const reserved = new Map<number, number>();
  let last = 0;
  for (let atMs = startMs; atMs < startMs + 96 * HOUR; atMs += 15 * MINUTE) {
    await rig.at(atMs);
    // For a quarter of an hour some replicas have the old catalog.
    const zones = atMs < changeMs ? [before, before] : atMs === changeMs ? [after, before, after] : [after, after];
    for (const zone of zones) {
      const { imps } = await rig.reserve([[one]], null, curveIn(zone, atMs));
      const day = imps[0]!.moments?.day;
      if (day === undefined) continue;
      expect(day).toBeGreaterThanOrEqual(last);
      last = day;
      reserved.set(day, (reserved.get(day) ?? 0) + 1);
      if (reserved.get(day)! % 3 === 0) await rig.settle(servedAd({ imps }, one));
    }
  }
  for (const count of reserved.values()) expect(count).toBeLessThanOrEqual(cap);
  // It goes on to deliver: the last whole day has its cap.
  expect(reserved.get(last - 1)).toBe(cap);
  const [account] = await rig.accounts.lineItems(1, [1]);
  expect(account).toMatchObject({ day: localDayOf(ruleOf(after, startMs), startMs + 96 * HOUR - 15 * MINUTE), broken: 0 });
});

test('a replica hands out no ad of yesterday after midnight of its publisher, with Redis or without', async () => {
  const zone = 'Asia/Kathmandu';
  const { rule, day } = ruleOn(zone, '2026-05-04');
  const midnightMs = endOfDay(rule, day);
  let [nowMs, redisIsUp] = [midnightMs - 20_000, true];
  const allowances = createAllowances({
    ledger: rig.ledger,
    tokenTtlMs: 30 * MINUTE,
    enabled: true,
    reserveMs: MINUTE,
    isUp: () => redisIsUp,
    now: () => nowMs,
    clock: () => nowMs,
  });
  const one = candidate(lineItem({ dailyImpressionCap: 2_000 }));
  const days = new Set<string>();
  for (; nowMs < midnightMs + 20_000; nowMs += 20) {
    await rig.at(nowMs);
    const request = {
      publisherId: 1,
      userHash: null,
      curve: curveIn(zone, nowMs),
      expiresAtMs: Date.now() + DAY,
      imps: [[one]],
      isShared: true,
    };
    const moments = (await allowances.reserve(request)).imps[0]!.moments;
    if (moments) days.add(`${moments.day - day} ${nowMs >= midnightMs}`);
  }
  expect([...days].sort()).toEqual(['0 false', '1 true']);
  redisIsUp = false;
  // Nothing that is handed out in an outage is held: an unlimited line item has the publisher's day too.
  const free = candidate(lineItem({ id: 9 }), { campaign: one.campaign });
  const request = {
    publisherId: 1,
    userHash: null,
    curve: curveIn(zone, nowMs),
    expiresAtMs: Date.now() + DAY,
    imps: [[free]],
    isShared: true,
  };
  expect(momentsOf(await allowances.reserve(request)).day).toBe(day + 1);
});
