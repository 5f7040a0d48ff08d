import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { createFreeHolds } from '../../src/ledger/free-holds.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { createServeAd } from '../../src/serving/serve-ad.ts';
import { createSessionCaps } from '../../src/serving/session-caps.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';
import { createChance } from '../../testkit/chance.ts';
import { LINK_UP } from '../../testkit/link-up.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';

export interface WorldOptions {
  readonly redisUrl: string;
  readonly replicas: number;
  readonly seed: number;
  readonly tokenTtlMs: number;
  readonly pid: { readonly kp: number; readonly ki: number; readonly kd: number };
  /** The part of the ads that render. */
  readonly renderRate: number;
}

/** Replicas report once a second. Between two requests nothing changes but what they return. */
const REPORT_MS = 1_000;

/** What was delivered, by line item and day. */
export type Delivered = Map<number, Map<number, number>>;

/**
 * The service in virtual time: replicas with their lots, the ledger's Lua in a real Redis, ads that render seconds later or
 * never.
 */
export const createWorld = async (options: WorldOptions) => {
  const { replicas: count, tokenTtlMs, pid, renderRate } = options;
  const chance = createChance(options.seed);
  const keys = createLedgerKeys(1);
  const redis = await patientRedis(options.redisUrl);
  await redis.flushdb();
  let nowMs = 0;
  let tokens = 0;
  let snapshot: Snapshot | undefined;
  const replicas = Array.from({ length: count }, () => {
    const onFailure = (_script: string, fault: Error) => {
      throw fault;
    };
    const ledger = createLedger({ redis, link: LINK_UP, keys, tokenTtlMs, pid, clock: VIRTUAL_CLOCK_KEY, onFailure });
    const clock = (): number => nowMs;
    const allowances = createAllowances({ ledger, tokenTtlMs, enabled: true, reserveMs: 60_000, isUp: () => true, now: clock, clock });
    const serve = createServeAd({
      bidders: { ask: () => Promise.resolve({ bids: [], refusals: [] }) },
      onBidsDecided: () => undefined,
      reserve: allowances.reserve,
      fromLots: allowances.fromLots,
      newId: () => `t${++tokens}`,
      sessionCaps: createSessionCaps(),
      freeHolds: createFreeHolds(),
      random: chance,
      clock,
    });
    return { ledger, allowances, serve };
  });
  const delivered: Delivered = new Map();
  /** Ads that render, by the second. */
  const due = new Map<number, ServedAd[]>();
  let settledS = 0;
  let reportedAtMs = 0;

  /** Replicas and Redis have one clock. A command that reads it is sent after this one, on the same connection. */
  const setClock = (atMs: number): void => {
    nowMs = atMs;
    void redis.mset(VIRTUAL_CLOCK_KEY, nowMs, keys.horizon(0), nowMs);
  };
  const settle = async (ad: ServedAd): Promise<void> => {
    const { ledger } = replicas[0]!;
    const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: nowMs, country: null, device: null };
    const settled = await ledger.settle(hit, hitLimits(snapshot!, hit));
    if (settled?.outcome !== 'counted') return;
    const byDay = delivered.get(ad.lineItemId) ?? new Map<number, number>();
    delivered.set(ad.lineItemId, byDay.set(ad.day, (byDay.get(ad.day) ?? 0) + 1));
  };
  /** What happens between two requests: ads render, and replicas report. */
  const passTime = async (untilMs: number): Promise<void> => {
    const seen: ServedAd[] = [];
    for (const untilS = Math.floor(untilMs / 1000); settledS < untilS; settledS++) {
      seen.push(...(due.get(settledS) ?? []));
      due.delete(settledS);
    }
    setClock(untilMs);
    const reporting = untilMs - reportedAtMs < REPORT_MS ? [] : replicas;
    if (reporting.length > 0) reportedAtMs = untilMs;
    // In this order on one connection.
    await Promise.all([...seen.map(settle), ...reporting.map(({ allowances }) => allowances.report())]);
  };
  const render = (ad: ServedAd): void => {
    if (chance() >= renderRate) return;
    const delayMs = chance() < 0.95 ? 300 + 4_000 * chance() : 10 * MS_PER_MINUTE * chance();
    const second = Math.floor((nowMs + delayMs) / 1000);
    due.set(second, [...(due.get(second) ?? []), ad]);
  };

  return {
    delivered,
    /** Requests in the order of time, from one moment to another. */
    play: async (catalog: Snapshot, requests: readonly AdRequest[], fromMs: number, untilMs: number): Promise<void> => {
      // Redis expires keys by the clock of the machine, which is not that of the simulation.
      snapshot = { ...catalog, expiresAtMs: () => Date.now() + 7 * MS_PER_DAY };
      settledS ||= Math.floor(fromMs / 1000);
      for (const request of requests) {
        await passTime(request.query.atMs);
        const { serve } = replicas[Math.floor(chance() * replicas.length)]!;
        const { filled } = await serve(snapshot, request);
        for (const { won } of filled) render(won.ad);
      }
      await passTime(untilMs - 1);
      // What the event writer does.
      await redis.del(keys.events(0));
    },
    close: async (): Promise<void> => {
      await redis.quit();
    },
  };
};

export type World = Awaited<ReturnType<typeof createWorld>>;
