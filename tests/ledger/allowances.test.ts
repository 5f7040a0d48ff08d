import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { LineItem } from '../../src/catalog/model/entities.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { Reservation } from '../../src/ledger/reservation.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

// Thousands of answers of Redis, one after the other.

const TTL_MS = 30 * MINUTE;
const STEP_MS = 50;

let rig: LedgerRig;
let nowMs: number;
let redisIsUp: boolean;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  redisIsUp = true;
  await goTo(NOON);
});
afterEach(() => rig.close());

const goTo = async (ms: number): Promise<void> => {
  nowMs = ms;
  await rig.at(ms);
};

/** A replica: its allowances, and how many calls of the ledger it took. */
const replicaOf = ({ reserveMs = MINUTE, skewMs = 0 }: { readonly reserveMs?: number; readonly skewMs?: number } = {}) => {
  const link = { up: true, upOf: () => redisIsUp, suspect: () => undefined, roundTripSeconds: 0, stop: () => undefined };
  const pid = { kp: 0.3, ki: 0.05, kd: 0.1 };
  const ledger = createLedger({ redis: rig.redis, link, keys: rig.keys, tokenTtlMs: TTL_MS, pid, clock: VIRTUAL_CLOCK_KEY });
  const calls = { reserve: 0 };
  const allowances = createAllowances({
    ledger: {
      ...ledger,
      reserve: (request) => {
        calls.reserve++;
        return ledger.reserve(request);
      },
    },
    tokenTtlMs: TTL_MS,
    enabled: true,
    reserveMs,
    isUp: () => redisIsUp,
    now: () => nowMs + skewMs,
    clock: () => nowMs,
  });
  const ask = (imps: readonly (readonly RankedCandidate[])[], isShared = true): Promise<Reservation> =>
    allowances.reserve({ publisherId: 1, userHash: null, curve: curveAt(nowMs), expiresAtMs: Date.now() + DAY, imps, isShared });
  return { allowances, calls, ask };
};
type TestReplica = ReturnType<typeof replicaOf>;

/** Requests for one candidate, evenly over some time, each by the next replica; resolves to how many were filled. `onFilled` gets the day of each. */
const demand = async (
  replicas: readonly TestReplica[],
  one: RankedCandidate,
  { perSecond, forMs, onFilled }: { readonly perSecond: number; readonly forMs: number; readonly onFilled?: (day: number) => void },
): Promise<number> => {
  let filled = 0;
  let due = 0;
  let at = 0;
  for (const untilMs = nowMs + forMs; nowMs < untilMs;) {
    for (due += (perSecond * STEP_MS) / 1000; due >= 1; due--) {
      const { imps } = await replicas[at++ % replicas.length]!.ask([[one]]);
      if (imps[0]!.winner !== 0) continue;
      filled++;
      onFilled?.(imps[0]!.moments!.day);
    }
    const before = nowMs;
    await goTo(nowMs + STEP_MS);
    if (Math.floor(nowMs / 1000) !== Math.floor(before / 1000)) for (const { allowances } of replicas) await allowances.report();
  }
  return filled;
};

const accountOf = async (id = 1) => (await rig.accounts.lineItems(1, [id]))[0]!;
const capped = (changes: Partial<LineItem> = {}): RankedCandidate => candidate(lineItem({ dailyImpressionCap: 100_000, ...changes }));

describe('allowances', () => {
  it('decide most ads of a line item without a call, and every one is held and counted', async () => {
    const replica = replicaOf();
    const filled = await demand([replica], capped(), { perSecond: 100, forMs: 20_000 });
    expect(filled).toBe(2_000);
    // One in a hundred once demand is known; its first seconds take more.
    expect(replica.calls.reserve).toBeLessThan(200);
    await replica.allowances.report();
    const { today, heldToday } = await accountOf();
    expect(today.serves).toBe(2_000);
    expect(heldToday).toBe(2_000 + replica.allowances.outstanding);
    await replica.allowances.stop();
    expect((await accountOf()).heldToday).toBe(2_000);
    expect(replica.allowances.outstanding).toBe(0);
  });

  it.each([800, 1_500])(
    'sell a daily cap of %d to the place on both sides of midnight, under load and with clocks that differ',
    async (cap) => {
      const midnight = NOON + 12 * HOUR;
      await goTo(midnight - 10_000);
      const replicas = [-700, 0, 300, 900].map((skewMs) => replicaOf({ skewMs }));
      const byDay = new Map<number, number>();
      const onFilled = (day: number) => byDay.set(day, (byDay.get(day) ?? 0) + 1);
      await demand(replicas, capped({ dailyImpressionCap: cap }), { perSecond: 100, forMs: 40_000, onFilled });
      // 1,000 requests before midnight, 3,000 after it.
      expect([...byDay]).toEqual([
        [midnight / DAY - 1, Math.min(cap, 1_000)],
        [midnight / DAY, cap],
      ]);
      for (const { allowances } of replicas) await allowances.stop();
      expect(await accountOf()).toMatchObject({ day: midnight / DAY, heldToday: cap });
    },
  );

  it('sell the last place of a cap, and none beyond it, whichever replica has the requests', async () => {
    const replicas = [replicaOf(), replicaOf(), replicaOf(), replicaOf()];
    const [busy, ...idle] = replicas as [TestReplica, ...TestReplica[]];
    const one = capped({ dailyImpressionCap: 2_000 });
    let filled = await demand(replicas, one, { perSecond: 100, forMs: 10_000 });
    filled += await demand([busy], one, { perSecond: 200, forMs: 10_000 });
    filled += await demand(idle, one, { perSecond: 50, forMs: 20_000 });
    expect(filled).toBe(2_000);
    expect((await accountOf()).heldToday).toBe(2_000);
  });

  it('hold a budget at the price at which they were reserved, to the micro', async () => {
    const replica = replicaOf();
    const item = lineItem({ budgetMicros: 1_000_000 });
    const cheap = candidate(item, { priceMicros: 1_333 });
    const filled = await demand([replica], cheap, { perSecond: 40, forMs: 15_000 });
    // The price rises: what is reserved at the old one is returned.
    const dear = candidate({ ...item }, { priceMicros: 7_777 });
    const more = await demand([replica], dear, { perSecond: 40, forMs: 15_000 });
    await replica.allowances.stop();
    const { heldMicros } = await accountOf();
    expect(heldMicros).toBe(filled * 1_333 + more * 7_777);
    expect(heldMicros).toBeLessThanOrEqual(1_000_000);
    expect(heldMicros).toBeGreaterThan(1_000_000 - 7_777);
  });

  it('return within three seconds what is not asked for', async () => {
    const replica = replicaOf({ reserveMs: 0 });
    const filled = await demand([replica], capped(), { perSecond: 100, forMs: 5_000 });
    expect(replica.allowances.outstanding).toBeGreaterThan(0);
    await goTo(nowMs + 3_000);
    await replica.allowances.report();
    expect(replica.allowances.outstanding).toBe(0);
    expect((await accountOf()).heldToday).toBe(filled);
  });

  it('end with their day, and with the last moment at which their tokens live as long as their hold', async () => {
    const replica = replicaOf();
    await goTo(NOON + 12 * HOUR - 10_000);
    const one = capped({ dailyImpressionCap: 5_000 });
    await demand([replica], one, { perSecond: 100, forMs: 9_900 });
    const day = (await replica.ask([[one]])).imps[0]!.moments!.day;
    await goTo(NOON + 12 * HOUR);
    const { moments } = (await replica.ask([[one]])).imps[0]!;
    expect(moments!.day).toBe(day + 1);

    await demand([replica], one, { perSecond: 100, forMs: 5_000 });
    for (let i = 0; i < 300; i++) {
      const { tokenExpS, holdEndMs } = (await replica.ask([[one]])).imps[0]!.moments!;
      expect(tokenExpS * 1000).toBeGreaterThanOrEqual(nowMs + TTL_MS);
      expect(tokenExpS * 1000).toBeLessThanOrEqual(holdEndMs);
      await goTo(nowMs + 777);
    }
  });

  it('settle like any other reservation', async () => {
    const replica = replicaOf();
    const one = capped();
    await demand([replica], one, { perSecond: 100, forMs: 3_000 });
    // If that lot is used up, this one has the next.
    await replica.ask([[one]]);
    const before = replica.calls.reserve;
    const reservation = await replica.ask([[one]]);
    expect(replica.calls.reserve).toBe(before);
    expect(await rig.settle(servedAd(reservation, one))).toMatchObject({ outcome: 'counted', foundHold: true, billedMicros: 1_333 });
    expect((await accountOf()).today.impressions).toBe(1);
  });

  it('show a creative once on a page, and leave the page to the ledger when one of its ads is not in stock', async () => {
    const replica = replicaOf();
    const [one, other] = [capped(), candidate(lineItem({ id: 2, dailyImpressionCap: 100_000 }))];
    await demand([replica], one, { perSecond: 50, forMs: 3_000 });
    const before = replica.calls.reserve;
    const held = (await accountOf()).heldToday;
    const page = await replica.ask([
      [one, other],
      [one, other],
    ]);
    expect(page.imps.map(({ winner }) => winner)).toEqual([0, 1]);
    expect(page.imps[1]!.refused).toEqual([NoBidReason.DuplicateInPage]);
    expect(replica.calls.reserve).toBe(before + 1);
    await replica.allowances.stop();
    expect((await accountOf()).heldToday).toBeLessThanOrEqual(held + 1);
    expect((await accountOf()).heldToday).toBe(151);
  });

  it('leave frequency caps, rate limits, bids and traces to the ledger', async () => {
    const replica = replicaOf();
    const limited = candidate(lineItem({ rateLimit: { perSecond: 1_000, burst: 1_000 } }));
    const bid = { ...candidate(lineItem({ id: 2, type: 'programmatic' })), bid: 0 };
    for (const one of [limited, bid]) await demand([replica], one, { perSecond: 50, forMs: 2_000 });
    expect(replica.calls.reserve).toBe(200);
    await demand([replica], capped({ id: 3 }), { perSecond: 50, forMs: 2_000 });
    const before = replica.calls.reserve;
    await replica.ask([[capped({ id: 3 })]], false);
    expect(replica.calls.reserve).toBe(before + 1);
    expect(replica.allowances.outstanding).toBeGreaterThan(0);
  });

  it('serve through an outage of Redis as before it, and no more than was reserved', async () => {
    const replica = replicaOf();
    const one = capped({ budgetMicros: 1_000_000_000 });
    const before = await demand([replica], one, { perSecond: 20, forMs: 30_000 });
    expect(before).toBe(600);
    redisIsUp = false;
    expect(await demand([replica], one, { perSecond: 20, forMs: 30_000 })).toBe(600);
    const rest = await demand([replica], one, { perSecond: 20, forMs: 5 * MINUTE });
    expect(rest).toBeLessThan(3_000);
    const refused = (await replica.ask([[one]])).imps[0]!;
    expect(refused).toMatchObject({ winner: -1, refused: [NoBidReason.CountersUnavailable] });
    redisIsUp = true;
    await replica.allowances.stop();
    const { today, heldToday } = await accountOf();
    expect(today.serves).toBe(1_200 + rest);
    expect(heldToday).toBe(1_200 + rest);
  });

  it.each([20, 0.8])('pace a line item through an outage at the rate before it, with %d requests a second', async (perSecond) => {
    const replica = replicaOf();
    const one = capped({ pacing: 'Even', dailyImpressionCap: 43_200 });
    // The first minutes are served from what pacing allows in advance.
    await demand([replica], one, { perSecond, forMs: 3 * MINUTE });
    const before = await demand([replica], one, { perSecond, forMs: MINUTE });
    redisIsUp = false;
    const away = await demand([replica], one, { perSecond, forMs: 30_000 });
    expect(away).toBeGreaterThan(0.85 * (before / 2));
    expect(away).toBeLessThan(1.2 * (before / 2));
  });

  it('return the spare of a line item without requests within two seconds of a refusal elsewhere', async () => {
    const [idle, busy] = [replicaOf(), replicaOf()];
    const one = capped({ dailyImpressionCap: 3_000 });
    await demand([idle], one, { perSecond: 40, forMs: 8_000 });
    expect(idle.allowances.outstanding).toBeGreaterThan(0);
    // The other replica sells what is left, and is refused.
    while ((await demand([busy], one, { perSecond: 100, forMs: 1_000 })) > 0);
    for (let second = 0; second < 2; second++) {
      await goTo(nowMs + 1_000);
      for (const { allowances } of [idle, busy]) await allowances.report();
    }
    expect([idle.allowances.outstanding, busy.allowances.outstanding]).toEqual([0, 0]);
    await demand([busy], one, { perSecond: 100, forMs: 2_000 });
    expect((await rig.accounts.lineItems(1, [one.lineItem.id]))[0]).toMatchObject({ heldToday: 3_000 });
  });

  it('return the spare of a sibling within two seconds when the budget of the campaign is refused elsewhere', async () => {
    const [idle, busy] = [replicaOf(), replicaOf()];
    const shared = campaign({ budgetMicros: 3_000 * 1_333 });
    const [one, sibling] = [1, 2].map((id) => candidate(lineItem({ id }), { campaign: shared })) as [RankedCandidate, RankedCandidate];
    await demand([idle], sibling, { perSecond: 40, forMs: 8_000 });
    expect(idle.allowances.outstanding).toBeGreaterThan(0);
    while ((await demand([busy], one, { perSecond: 100, forMs: 1_000 })) > 0);
    for (let second = 0; second < 2; second++) {
      await goTo(nowMs + 1_000);
      for (const { allowances } of [idle, busy]) await allowances.report();
    }
    expect([idle.allowances.outstanding, busy.allowances.outstanding]).toEqual([0, 0]);
    await demand([busy], one, { perSecond: 100, forMs: 2_000 });
    expect((await accountOf(1)).heldMicros + (await accountOf(2)).heldMicros).toBe(3_000 * 1_333);
  });

  it('return a lot of which the requests went elsewhere when the line item is refused there, however young it is', async () => {
    const [idle, busy] = [replicaOf({ reserveMs: 0 }), replicaOf({ reserveMs: 0 })];
    const one = capped({ dailyImpressionCap: 1_000 });
    const filled = await demand([idle], one, { perSecond: 200, forMs: 4_000 });
    expect(idle.allowances.outstanding).toBeGreaterThan(0);
    const more = await demand([busy], one, { perSecond: 500, forMs: 1_000 });
    expect(filled + more).toBeLessThan(1_000);
    for (const { allowances } of [idle, busy]) await allowances.report();
    expect(idle.allowances.outstanding).toBe(0);
    expect(filled + more + (await demand([busy], one, { perSecond: 500, forMs: 500 }))).toBe(1_000);
  });

  it('keep no spare of a line item of which more is held than is left', async () => {
    const replica = replicaOf();
    const item = lineItem({ dailyImpressionCap: 1_000 });
    const one = candidate(item, { campaign: campaign() });
    await demand([replica], one, { perSecond: 60, forMs: 10_000 });
    await goTo(nowMs + 3 * MINUTE);
    await replica.allowances.report();
    await demand([replica], one, { perSecond: 20, forMs: 3_000 });
    await replica.allowances.report();
    redisIsUp = false;
    await goTo(nowMs + 2_500);
    const away = await demand([replica], one, { perSecond: 20, forMs: 10_000 });
    expect(away).toBeLessThan(40);
  });
});
