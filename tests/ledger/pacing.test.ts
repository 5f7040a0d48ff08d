import { dailyCurve } from '../../testkit/simulation/traffic.ts';
import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import type { Pacing } from '../../src/catalog/model/choices.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { createLimitReader, type ReadLimits } from '../../src/ledger/read/read-limits.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

const MIDNIGHT = NOON - 12 * HOUR;
/** Tokens outlive the test, so nothing is released and every serve stays committed. */
const NEVER_RELEASED = { tokenTtlMs: 3 * DAY };

const PID = { kp: 0.3, ki: 0.05, kd: 0.1 };

let rig: LedgerRig;
let readLimits: ReadLimits;
const begin = async (options: Parameters<typeof createLedgerRig>[1] = NEVER_RELEASED): Promise<void> => {
  rig = await createLedgerRig(await testRedisUrl(), options);
  readLimits = createLimitReader({ redis: rig.redis, keys: rig.keys, pid: PID, clock: VIRTUAL_CLOCK_KEY });
};
afterEach(() => rig.close());

const paced = (pacing: Pacing, changes: Partial<LineItem> = {}): RankedCandidate =>
  candidate(lineItem({ pacing, dailyImpressionCap: 1000, ...changes }));

interface Traffic {
  readonly perMinute?: number;
  readonly stepMinutes?: number;
  readonly traffic?: HourlyTraffic;
}

/** Sends requests from one hour of the day to another; resolves to the number served in each step. */
const ask = async (
  one: RankedCandidate,
  fromHour: number,
  toHour: number,
  { perMinute = 3, stepMinutes = 1, traffic }: Traffic = {},
): Promise<number[]> => {
  const served: number[] = [];
  for (let minute = fromHour * 60; minute < toHour * 60; minute += stepMinutes) {
    const nowMs = MIDNIGHT + minute * MINUTE;
    // Sent together on one connection, so the clock is set before the requests.
    const [, count] = await Promise.all([rig.at(nowMs), rig.reserveMany(one, perMinute * stepMinutes, null, curveAt(nowMs, traffic))]);
    served.push(count);
  }
  return served;
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** The largest sum of any window of this many steps. */
const fastest = (counts: readonly number[], steps: number): number =>
  Math.max(...counts.slice(0, counts.length - steps + 1).map((_, from) => sum(counts.slice(from, from + steps))));

/** The ledger's own reading of a candidate's pacing. */
const pacingOf = async (one: RankedCandidate, nowMs: number, traffic?: HourlyTraffic) => {
  const [reading] = await readLimits({ publisherId: 1, userHash: null, curve: curveAt(nowMs, traffic), candidates: [one] });
  return reading?.pacing;
};

describe.each<Pacing>(['Even', 'PID'])('%s pacing', (pacing) => {
  beforeEach(() => begin());

  it('serves the first impression of a day immediately, and the second on schedule', async () => {
    await rig.at(MIDNIGHT);
    expect(await rig.reserveMany(paced(pacing), 50)).toBe(1);
    await rig.at(MIDNIGHT + MINUTE);
    expect(await rig.reserveMany(paced(pacing), 50)).toBe(0);
    await rig.at(MIDNIGHT + 2 * MINUTE);
    expect(await rig.reserveMany(paced(pacing), 50)).toBe(1);
  });

  it('allows half of the daily cap by noon, and all of it by midnight', async () => {
    const morning = sum(await ask(paced(pacing), 0, 12));
    expect(morning).toBeGreaterThanOrEqual(490);
    expect(morning).toBeLessThanOrEqual(502);
    const day = morning + sum(await ask(paced(pacing), 12, 24));
    expect(day).toBeGreaterThanOrEqual(990);
    expect(day).toBeLessThanOrEqual(1000);
  });

  it('serves the same with ten times the traffic, also after a gap in the traffic', async () => {
    const day = async (perMinute: number) => [
      sum(await ask(paced(pacing), 0, 4, { perMinute })),
      sum(await ask(paced(pacing), 6, 9, { perMinute })),
    ];
    const calm = await day(2);
    await rig.redis.flushdb();
    const busy = await day(20);
    busy.forEach((count, i) => expect(Math.abs(count - calm[i]!)).toBeLessThanOrEqual(0.02 * count + 1));
  });

  it('delivers the whole cap of a line item that begins at noon evenly by midnight', async () => {
    const served = await ask(paced(pacing), 12, 24);
    expect(sum(served.slice(0, 360))).toBeGreaterThanOrEqual(485);
    expect(sum(served.slice(0, 360))).toBeLessThanOrEqual(505);
    expect(sum(served)).toBeGreaterThanOrEqual(990);
  });

  it('starts each day with a new goal', async () => {
    await ask(paced(pacing), 20, 24, { stepMinutes: 5 });
    const first = await ask(paced(pacing), 24, 26);
    expect(first[0]).toBe(1);
    expect(sum(first)).toBeGreaterThanOrEqual(80);
    expect(sum(first)).toBeLessThanOrEqual(85);
  });

  it('finishes at the end of the flight when that is today', async () => {
    const one = paced(pacing, { flight: { startMs: 0, endMs: MIDNIGHT + 6 * HOUR } });
    const half = sum(await ask(one, 0, 3, { perMinute: 5 }));
    expect(half).toBeGreaterThanOrEqual(485);
    expect(half).toBeLessThanOrEqual(505);
    expect(half + sum(await ask(one, 3, 6, { perMinute: 5 }))).toBeGreaterThanOrEqual(985);
  });

  it('spreads a total budget over the rest of the flight when that is tighter than the daily cap', async () => {
    const one = paced(pacing, { budgetMicros: 400 * 1333, flight: { startMs: 0, endMs: MIDNIGHT + 4 * DAY } });
    const day = sum(await ask(one, 0, 24, { stepMinutes: 5, perMinute: 1 }));
    expect(day).toBeGreaterThanOrEqual(97);
    expect(day).toBeLessThanOrEqual(102);
  });

  it('follows the traffic curve it is given', async () => {
    const traffic = dailyCurve();
    let served = 0;
    for (const until of [4, 8, 12]) {
      served += sum(await ask(paced(pacing), until - 4, until, { traffic }));
      const target = 1000 * traffic.shareBefore[until]!;
      expect(Math.abs(served - target)).toBeLessThanOrEqual(0.03 * target + 1);
    }
  });

  it('keeps its rate when replicas with different clocks pass the hour and the day', async () => {
    const traffic = dailyCurve();
    const one = paced(pacing, { dailyImpressionCap: 100_000 });
    const around = async (atMs: number): Promise<number> => {
      let served = 0;
      for (let ms = atMs - MINUTE; ms < atMs + MINUTE; ms += 1000) {
        await rig.at(ms);
        for (const skew of [-5000, 5000, 0, 5000]) served += await rig.reserveMany(one, 10, null, curveAt(ms + skew, traffic));
      }
      return served;
    };
    const perMinute = (hour: number): number => (100_000 * traffic.shareOfHour[hour]!) / 60;
    // A minute in the bucket, two minutes of even rate; an hour old, so that the plan covers the rest of the day.
    await ask(one, 0, 1, { perMinute: 60, traffic });
    expect(await around(MIDNIGHT + HOUR)).toBeLessThanOrEqual(3.2 * perMinute(0));
    // The day's last minute has a whole day's backlog, which may be served; then a new day begins.
    await around(MIDNIGHT + DAY);
    const [account] = await rig.accounts.lineItems(1, [1]);
    expect(account?.heldToday).toBeLessThanOrEqual(2.2 * perMinute(0) + 2);
  });

  it('does not burst when the curve is updated', async () => {
    await ask(paced(pacing), 0, 6);
    const served = await ask(paced(pacing), 6, 8, { traffic: dailyCurve() });
    expect(fastest(served, 10)).toBeLessThanOrEqual(12);
  });

  // Of the 1,103 parts of the curve's day, 29 come before two o'clock and 49 before five.
  const news = { traffic: dailyCurve(), shareOfLine: (49 - 29) / (1103 - 29) };
  const flat = { traffic: undefined, shareOfLine: (5 - 2) / (24 - 2) };
  const untilOne = { traffic: undefined, shareOfLine: (5 - 2) / (13 - 2) };
  const endsAfter = (hours: number) => ({ flight: { startMs: 0, endMs: MIDNIGHT + hours * HOUR } });
  const shared = campaign({ id: 9, budgetMicros: 70_000 * 1333 });

  it.each([
    { by: 'a daily cap', ...news, one: paced(pacing), goal: 1000 },
    {
      by: 'a daily spend cap',
      ...flat,
      one: paced(pacing, { dailyImpressionCap: null, dailySpendCapMicros: 800 * 1333 }),
      goal: 800,
    },
    // Today's part of five days: 12 are served, and of the other 2,988 it gets 0.956 ÷ 4.956.
    { by: 'a budget', ...news, one: paced(pacing, { budgetMicros: 3000 * 1333, ...endsAfter(120) }), goal: 588 },
    { by: 'a flight that ends at one', ...untilOne, one: paced(pacing, endsAfter(13)), goal: 1000 },
    // The same of 100.5 days: 13 are served, and of the other 69,987 today gets 0.956 ÷ 100.456.
    {
      by: "a campaign's budget",
      ...news,
      one: candidate(lineItem({ campaignId: 9, pacing }), { campaign: shared }),
      goal: 679,
    },
  ])('bounded by $by follows its line from two to five o’clock', async ({ one, traffic, goal, shareOfLine }) => {
    let committed = sum(await ask(one, 2, 5, { perMinute: 8, ...(traffic && { traffic }) }));
    const nowMs = MIDNIGHT + 5 * HOUR;
    await rig.at(nowMs);
    committed += await rig.reserveMany(one, 20, null, curveAt(nowMs, traffic));
    expect(Math.abs(committed - goal * shareOfLine)).toBeLessThanOrEqual(0.02 * committed + 1.5);
    const shown = await pacingOf(one, nowMs, traffic);
    expect(Math.abs(shown!.goal - goal)).toBeLessThanOrEqual(1);
    // Pacing began at two, so the impressions due by now count from there.
    expect(Math.abs(shown!.due - goal * shareOfLine)).toBeLessThanOrEqual(1);
  });

  it('has no goal without a cap or a budget', async () => {
    expect(await pacingOf(candidate(lineItem({ pacing })), NOON)).toBeNull();
    expect(await pacingOf(candidate(lineItem({ dailyImpressionCap: 5 })), NOON)).toBeNull();
  });
});

describe('Even pacing', () => {
  beforeEach(() => begin());

  it('spreads the backlog of a gap over the rest of the day, and serves at most six in a burst', async () => {
    const before = sum(await ask(paced('Even'), 0, 6));
    const after = await ask(paced('Even'), 12, 24, { perMinute: 8 });
    const perTenMinutes = (1000 - before) / 72;
    expect(after[0]).toBeLessThanOrEqual(6);
    expect(fastest(after, 10)).toBeLessThanOrEqual(perTenMinutes + 6);
    expect(before + sum(after)).toBeGreaterThanOrEqual(985);
  });

  it('divides a campaign budget among its line items', async () => {
    const shared = campaign({ budgetMicros: 1000 * 1333, flight: { startMs: 0, endMs: MIDNIGHT + DAY } });
    const items = [1, 2].map((id) => candidate(lineItem({ id, pacing: 'Even' }), { campaign: shared }));
    let served = 0;
    for (let minute = 0; minute < 720; minute++) {
      await rig.at(MIDNIGHT + minute * MINUTE);
      for (const one of items) served += await rig.reserveMany(one, 5);
    }
    expect(served).toBeGreaterThanOrEqual(450);
    expect(served).toBeLessThanOrEqual(550);
  });

  it('paces a spend cap of clicks by the expected revenue of an impression', async () => {
    const perClick = candidate(
      lineItem({ pacing: 'Even', budgetType: 'CPC', cpmMicros: null, cpcMicros: 1_000_000, dailySpendCapMicros: 1_000_000 }),
    );
    expect(perClick.expectedMicros).toBe(1000);
    const served = sum(await ask(perClick, 0, 6));
    // Nothing was clicked, so nothing is spent: a thousand impressions are expected to use the cap in the rest of the day.
    expect(served).toBeGreaterThanOrEqual(250);
    expect(served).toBeLessThanOrEqual(300);
  });

  it('paces a flat fee by its daily cap alone, and not at all without one', async () => {
    const flat = { pacing: 'Even', budgetType: 'Flat', cpmMicros: null, budgetMicros: 1000 } as const;
    expect(sum(await ask(candidate(lineItem({ ...flat, id: 1, dailyImpressionCap: 1440 })), 0, 1))).toBe(60);
    expect(await rig.reserveMany(candidate(lineItem({ ...flat, id: 2 })), 40)).toBe(40);
  });

  it('stops when the budget of the campaign is spent', async () => {
    const broke = campaign({ budgetMicros: 3 * 1333 });
    const asap = candidate(lineItem({ id: 1 }), { campaign: broke });
    const even = candidate(lineItem({ id: 2, pacing: 'Even' }), { campaign: broke });
    expect(await rig.reserveMany(asap, 10)).toBe(3);
    expect(await rig.reserveMany(even, 10)).toBe(0);
  });

  it('serves impressions that did not render again, on schedule', async () => {
    rig.close();
    await begin({ tokenTtlMs: 30 * MINUTE });
    const one = paced('Even');
    let selected = 0;
    for (let minute = 0; minute < 480; minute++) {
      await rig.at(MIDNIGHT + minute * MINUTE);
      await rig.horizon(MIDNIGHT + minute * MINUTE);
      for (let i = 0; i < 5; i++) {
        const reservation = await rig.reserve([[one]]);
        if (reservation.imps[0]?.winner !== 0) continue;
        if (++selected % 2 === 0) await rig.settle(servedAd(reservation, one));
      }
    }
    const [account] = await rig.accounts.lineItems(1, [1]);
    const committed = (account?.today.impressions ?? 0) + (account?.heldToday ?? 0);
    expect(committed).toBeGreaterThanOrEqual(318);
    expect(committed).toBeLessThanOrEqual(335);
    expect(selected).toBeGreaterThanOrEqual(600);
  });
});

describe('PID pacing', () => {
  it('catches up after a two-hour outage at no more than 1.5 times the even rate in any ten minutes, and delivers the day’s cap', async () => {
    await begin();
    const one = paced('PID', { dailyImpressionCap: 7_200 });
    const before = sum(await ask(one, 0, 10, { perMinute: 15 }));
    const after = await ask(one, 12, 24, { perMinute: 15 });
    expect(fastest(after, 10)).toBeLessThanOrEqual(76);
    expect(sum(after.slice(0, 120))).toBeGreaterThan(700);
    expect(before + sum(after)).toBeGreaterThanOrEqual(0.98 * 7_200);
    expect(before + sum(after)).toBeLessThanOrEqual(7_200);
  });

  it.each([
    { kp: 1000, ki: 1000, kd: 1000 },
    { kp: 0, ki: 1000, kd: 0 },
    { kp: 0, ki: 0, kd: 0 },
  ])('stays within the cap and its bounds with any gains: %p', async (pid) => {
    await begin({ ...NEVER_RELEASED, pid });
    const one = paced('PID', { dailyImpressionCap: 7_200 });
    const served = [...(await ask(one, 0, 2, { perMinute: 12 })), ...(await ask(one, 4, 6, { perMinute: 12 }))];
    expect(fastest(served, 10)).toBeLessThanOrEqual(76);
    await ask(one, 6, 24, { perMinute: 8, stepMinutes: 10 });
    const [account] = await rig.accounts.lineItems(1, [1]);
    expect(account?.heldToday).toBeLessThanOrEqual(7_200);
  });
});
