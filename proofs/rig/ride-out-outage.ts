import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../../testkit/book.ts';
import { createSteadyLoad } from './create-steady-load.ts';
import type { Fleet } from './open-fleet.ts';
import type { Finding, Scale } from './proof.ts';
import type { Rig } from './create-rig.ts';
import type { FaultMode } from '../../testkit/start-fault-proxy.ts';
import { readBooks, untilDrained } from '../../testkit/read-books.ts';
import { untilTrue } from '../../testkit/until.ts';

const MAX_P99_MS = 150;
const MAX_RECOVERY_MS = 2_000;

export interface Outage {
  /** Makes the store unavailable; resolves after `awayMs`. */
  begin(fleet: Fleet, awayMs: number): Promise<void>;
  /** Makes it available again. */
  end(fleet: Fleet): void;
  /**
   * The least part of the requests that line items with limits filled before that they fill in the first 30 s of the
   * outage.
   */
  readonly minFill: number;
}

/** The network to a store: half of the time a black hole, half of it refused connections. */
export const networkOutage = (proxies: (fleet: Fleet) => Fleet['redisProxies']): Pick<Outage, 'begin' | 'end'> => {
  const setAll = (fleet: Fleet, mode: FaultMode) => proxies(fleet).forEach((proxy) => proxy.set(mode));
  return {
    begin: async (fleet, awayMs) => {
      setAll(fleet, { kind: 'blackhole' });
      await sleep(awayMs / 2);
      setAll(fleet, { kind: 'reset' });
      await sleep(awayMs / 2);
    },
    end: (fleet) => setAll(fleet, { kind: 'pass' }),
  };
};

/**
 * Makes a store unavailable under steady traffic; then checks the effect on pages, the time to recovery, and whether every
 * acknowledged impression is counted once.
 */
export const rideOutOutage = async (rig: Rig, scale: Scale, { begin, end, minFill }: Outage): Promise<Finding> => {
  const awayMs = scale.of(60_000, 5_000);
  const fleet = await rig.fleet({ replicas: 3, faulty: true });
  const { page } = fleet;
  try {
    const capped = await book(fleet.knex, { lineItems: [{ daily_impression_cap: 1_000_000 }] });
    const free = await book(fleet.knex);
    const paced = await book(fleet.knex, { lineItems: [{ daily_impression_cap: 400_000, pacing: 'Even' }] });
    const budgeted = await book(fleet.knex, { lineItems: [{}], campaign: { budget_micros: 500_000_000 } });
    const limited = [capped, paced, budgeted];
    await fleet.reload();
    const load = createSteadyLoad({ page, perSecond: 80, bookings: [capped, free, paced, budgeted] });
    const fillOf = () => load.fillOf(limited);
    await sleep(scale.of(20_000, 8_000));
    const before = fillOf();
    load.reset();
    const first = sleep(Math.min(awayMs, 30_000)).then(fillOf);
    await begin(fleet, awayMs);
    const during = load.figures();
    const fill = (await first) / before;
    end(fleet);
    // Recovered: both line items serve ten times in a row on any replica.
    const isNormal = async (): Promise<boolean> => {
      for (let i = 0; i < 10; i++) {
        const [one, other] = await Promise.all([page.ask(capped, 'probe'), page.ask(free, 'probe')]);
        if (one.bids.length + other.bids.length < 2) return false;
      }
      return true;
    };
    const recoveryMs = await untilTrue(isNormal, 30_000, 20);
    await sleep(2_000);
    await load.stop();
    const drained = await untilDrained(fleet, 120_000);
    const books = await Promise.all([...limited, free].map((booking) => readBooks(fleet, booking)));
    const stored = books.flatMap(({ rows }) => rows.impression);
    const known = new Set(stored);
    const lost = [...load.acknowledged].filter((id) => !known.has(id)).length;
    const counted = books.reduce((sum, { counters }) => sum + counters.impressions, 0);
    const fallbacks = await fleet.metric('adserver_store_fallback_total');
    const ok =
      drained &&
      during.adsNot200 === 0 &&
      during.adP99Ms <= scale.ms(MAX_P99_MS) &&
      lost === 0 &&
      stored.length === known.size &&
      counted === stored.length &&
      (recoveryMs ?? Infinity) <= scale.ms(MAX_RECOVERY_MS) &&
      fill >= minFill;
    return {
      ok,
      observed:
        `away ${awayMs / 1000} s: ${during.ads} ad requests, ${during.adsNot200} not 200, ${during.filled} filled, by line items with limits ${(100 * fill).toFixed(1)} % of before in the first ${Math.min(awayMs, 30_000) / 1000} s, p99 ${during.adP99Ms} ms (most ${during.adMostMs}); ` +
        `impressions answered 200 ${load.acknowledged.size}, counted ${counted}, rows ${stored.length}, lost ${lost}, first refused ${during.hitsRefused}, ${fallbacks} by way of Postgres; ` +
        `normal after ${recoveryMs === undefined ? 'more than 30 s' : `${Math.round(recoveryMs)} ms`}${drained ? '' : '; not drained'}`,
    };
  } finally {
    await fleet.close();
  }
};
