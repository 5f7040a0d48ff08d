import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { createFreeHolds } from '../../src/ledger/free-holds.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { createServeAd } from '../../src/serving/serve-ad.ts';
import { createSessionCaps } from '../../src/serving/session-caps.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';
import { createChance } from '../../testkit/chance.ts';

export interface WorldOptions {
  readonly redisUrl: string;
  readonly replicas: number;
  readonly seed: number;
  readonly tokenTtlMs: number;
  readonly pid: { readonly kp: number; readonly ki: number; readonly kd: number };
  readonly stepMs: number;
  /** The part of the ads that render. */
  readonly renderRate: number;
  readonly clickRate: number;
}

/** What was delivered, by line item and day. */
export type Delivered = Map<number, Map<number, number>>;

/**
 * The service in virtual time: replicas with their lots, the ledger's Lua in a real Redis, ads that render seconds later or
 * never.
 */
export const createWorld = async (options: WorldOptions) => {
  const { replicas: count, stepMs, tokenTtlMs, pid, renderRate, clickRate } = options;
  const chance = createChance(options.seed);
  const keys = createLedgerKeys(1);
  const connect = () => createRedisClient({ urls: [options.redisUrl], commandTimeoutMs: 60_000, name: 'forecast' });
  const control = connect();
  const connections = Array.from({ length: count }, connect);
  await Promise.all([control, ...connections].map((redis) => new Promise((ready) => redis.once('ready', ready))));
  await control.flushdb();
  let nowMs = 0;
  let tokens = 0;
  let snapshot: Snapshot | undefined;
  const link = { up: true, upOf: () => true, suspect: () => undefined, roundTripSeconds: 0, stop: () => undefined };
  const replicas = connections.map((redis) => {
    const onFailure = (_script: string, fault: Error) => {
      throw fault;
    };
    const ledger = createLedger({ redis, link, keys, tokenTtlMs, pid, clock: VIRTUAL_CLOCK_KEY, onFailure });
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
  const due = new Map<number, ServedAd[]>();

  const settle = async (ads: readonly ServedAd[]): Promise<void> => {
    await Promise.all(
      ads.map(async (ad, i) => {
        const { ledger } = replicas[i % replicas.length]!;
        const hit: Hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: nowMs, country: null, device: null };
        const settled = await ledger.settle(hit, hitLimits(snapshot!, hit));
        if (settled?.outcome !== 'counted') return;
        const byDay = delivered.get(ad.lineItemId) ?? new Map<number, number>();
        delivered.set(ad.lineItemId, byDay.set(ad.day, (byDay.get(ad.day) ?? 0) + 1));
      }),
    );
  };
  const render = (ad: ServedAd): void => {
    if (chance() >= renderRate) return;
    const delayMs = chance() < 0.95 ? 300 + 4_000 * chance() : 10 * MS_PER_MINUTE * chance();
    const step = Math.ceil((nowMs + delayMs) / stepMs) + 1;
    due.set(step, [...(due.get(step) ?? []), ad]);
  };

  return {
    delivered,
    clickRate,
    /** Requests in the order of time, from one moment to another. */
    play: async (catalog: Snapshot, requests: readonly AdRequest[], fromMs: number, untilMs: number): Promise<void> => {
      // Redis expires keys by the clock of the machine, which is not that of the simulation.
      const served: Snapshot = { ...catalog, expiresAtMs: () => Date.now() + 7 * MS_PER_DAY };
      snapshot = served;
      let at = 0;
      for (let stepAt = fromMs; stepAt < untilMs; stepAt += stepMs) {
        nowMs = stepAt;
        await control.mset(VIRTUAL_CLOCK_KEY, nowMs, keys.horizon(0), nowMs);
        const ads = due.get(Math.floor(stepAt / stepMs));
        due.delete(Math.floor(stepAt / stepMs));
        if (ads) await settle(ads);
        const together: Promise<void>[] = [];
        for (; at < requests.length && requests[at]!.query.atMs < stepAt + stepMs; at++) {
          const { serve } = replicas[Math.floor(chance() * replicas.length)]!;
          together.push(serve(served, requests[at]!).then(({ filled }) => filled.forEach(({ won }) => render(won.ad))));
        }
        await Promise.all(together);
        nowMs = stepAt + stepMs - 1;
        await Promise.all(replicas.map(({ allowances }) => allowances.report()));
      }
      // What the event writer does.
      await control.del(keys.events(0));
    },
    close: async (): Promise<void> => {
      await Promise.all([control, ...connections].map((redis) => redis.quit()));
    },
  };
};

export type World = Awaited<ReturnType<typeof createWorld>>;
