import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { AdQuery, ImpQuery } from '../../src/decision/ad-query.ts';
import { rankCandidates } from '../../src/decision/rank-candidates.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createAccountReader } from '../../src/ledger/read/read-accounts.ts';
import { patientRedis } from '../patient-redis.ts';
import { createOpportunityCosts } from '../../src/serving/opportunity-costs.ts';
import { TargetingQuery } from '../../src/targeting/targeting-query.ts';
import { indexOf } from '../candidate-index.ts';
import { createChance, type Chance } from '../chance.ts';
import { DAY_START_MS, PUBLISHER, simulatedServe } from './simulated-booking.ts';
import { createSimulatedReplica } from './simulated-replica.ts';
import { createTraffic } from './traffic.ts';

export interface AllocationOptions {
  readonly redisUrl: string;
  readonly seed: number;
  readonly days: number;
  /** Of a day. */
  readonly requests: number;
  readonly curve: HourlyTraffic;
  /** Direct line items; those that yield are the guaranteed ones. */
  readonly direct: readonly RankedCandidate[];
  readonly programmatic: RankedCandidate;
  /** The bid for a request, micros per thousand impressions; undefined: none above the floor. */
  readonly bidOf: (chance: Chance) => number | undefined;
  /** The part of the selections that renders; the rest expires with its token. */
  readonly renderRate: number;
  /** Of Redis's clock, between two refreshes of the opportunity costs, and of reports of replicas. */
  readonly stepMs: number;
}

export interface Allocated {
  readonly requests: number;
  /** Impressions of the flight, by the line item's name. */
  readonly delivered: ReadonlyMap<string, number>;
  /** What rendered bids pay. */
  readonly bidMicros: number;
  readonly bidImpressions: number;
}

const REPLICAS = 2;
const TOKEN_TTL_MS = 30 * MS_PER_MINUTE;
const RENDER_MS = 3_000;
const PID = { kp: 0.3, ki: 0.05, kd: 0.1 };

/**
 * Days of guaranteed line items beside a bidder, decided as POST /ad does: the service's ranking, opportunity
 * costs, allowances and scripts, on a real Redis with a virtual clock.
 */
export const simulateAllocation = async (options: AllocationOptions): Promise<Allocated> => {
  const { seed, days, direct, programmatic, curve, stepMs } = options;
  const keys = createLedgerKeys(1);
  const connect = () => patientRedis(options.redisUrl);
  const connections = await Promise.all(Array.from({ length: REPLICAS }, connect));
  const control = await connect();
  await control.flushdb();
  let nowMs = DAY_START_MS;
  const replicas = connections.map((redis) =>
    createSimulatedReplica({ redis, keys, tokenTtlMs: TOKEN_TTL_MS, pid: PID, skewMs: 0, allowances: true, clock: () => nowMs }),
  );
  const booked = new Map(direct.map((one) => [one.lineItem.id, one]));
  const costs = createOpportunityCosts({
    accounts: createAccountReader({ redis: control, keys, clock: VIRTUAL_CLOCK_KEY }),
    currentSnapshot: () => ({
      lineItems: { get: (id) => booked.get(id)?.lineItem },
      campaigns: { get: () => programmatic.campaign },
      curveAt: (_publisher, atMs) => curveAt(atMs, curve),
      hoursOf: () => undefined,
    }),
    now: () => nowMs,
  });

  const index = indexOf(direct.map((one) => ({ ...one, clickRate: 0 })));
  const [bids, order, shown, balance] = [1, 2, 3, 4].map((n) => createChance(seed + n)) as [Chance, Chance, Chance, Chance];
  const expiresAtMs = Date.now() + 7 * MS_PER_DAY;
  const rendering: { readonly ad: ServedAd; readonly atMs: number }[] = [];
  let [requests, tokens, bidMicros, bidImpressions] = [0, 0, 0, 0];

  const request = async (): Promise<void> => {
    requests++;
    const cpmMicros = options.bidOf(bids);
    const ranking = rankCandidates({
      direct: index,
      bids: cpmMicros === undefined ? [] : [{ booking: programmatic, cpmMicros }],
      query: { ...QUERY, atMs: nowMs },
      imp: IMP,
      exhausted: () => 0,
      runsHere: () => false,
      random: order,
      opportunityFactor: costs.factorOf,
    });
    const candidates = ranking.take(direct.length + 1);
    const isRendered = shown() < options.renderRate;
    const replica = replicas[Math.floor(balance() * REPLICAS)]!;
    const { winner, moments } = await replica.reserve(candidates, {
      ...{ publisherId: PUBLISHER, curve: curveAt(nowMs, curve), expiresAtMs, siblingsOf: () => NO_SIBLINGS },
    });
    const won = candidates[winner];
    if (!won || !moments || !isRendered) return;
    rendering.push({ ad: simulatedServe(`t${++tokens}`, moments, won), atMs: nowMs + RENDER_MS });
    if (won.bid < 0) return;
    bidMicros += won.priceMicros;
    bidImpressions++;
  };
  const settle = (until: number): Promise<unknown> => {
    const due = rendering.findIndex(({ atMs }) => atMs > until);
    const settled = rendering
      .splice(0, due < 0 ? rendering.length : due)
      .map(({ ad }, i) =>
        replicas[i % REPLICAS]!.ledger.settle(
          { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: until, country: null, device: null },
          { limits: NO_LIMITS, expiresAtMs },
        ),
      );
    return Promise.all(settled);
  };

  try {
    for (let day = 0; day < days; day++) {
      const arriving = createTraffic({
        requests: options.requests,
        curve,
        unrest: 0.15,
        surge: NO_SURGE,
        surgeFactor: 1,
        chance: createChance(seed + 100 * day),
      });
      for (let ms = 0; ms < MS_PER_DAY; ms += stepMs) {
        nowMs = DAY_START_MS + day * MS_PER_DAY + ms;
        await control.mset(VIRTUAL_CLOCK_KEY, nowMs, keys.horizon(0), nowMs);
        if (ms % (10 * MS_PER_MINUTE) === 0) await control.del(keys.events(0));
        await Promise.all([settle(nowMs), costs.refresh()]);
        const count = arriving(ms / MS_PER_MINUTE, stepMs / MS_PER_MINUTE);
        await Promise.all(Array.from({ length: count }, request));
        await Promise.all(replicas.map((replica) => replica.report()));
      }
    }
    await settle(Infinity);
    const accounts = await createAccountReader({ redis: control, keys, clock: VIRTUAL_CLOCK_KEY }).lineItems(PUBLISHER, [...booked.keys()]);
    const delivered = new Map(direct.map(({ lineItem }, i) => [lineItem.name, accounts[i]?.totalImpressions ?? 0]));
    return { requests, delivered, bidMicros, bidImpressions };
  } finally {
    for (const redis of [control, ...connections]) redis.disconnect();
  }
};

const QUERY: Omit<AdQuery, 'atMs'> = { targeting: new TargetingQuery([]), mayRemember: true };
const IMP: ImpQuery = { impId: '1', placementId: 'top', size: { width: 300, height: 250 }, otherSizes: [], formats: ['html'] };
const NO_SURGE = { fromMinute: 0, toMinute: 0 };
const NO_SIBLINGS = { asOf: 0, paced: 0, asap: 0 };
