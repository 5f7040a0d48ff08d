import { campaign, DAY, MINUTE, NOON } from '../decision/candidates.ts';
import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { Hit, ServedAd } from '../../src/ledger/hit.ts';
import { readEvent, splitEntry } from '../../src/events/read-event.ts';
import { countedOf } from '../../src/ledger/frequency-counters.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { billsOnOf, laterPriceMicros, limitsOf, NO_LIMITS } from '../../src/ledger/limits.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createAccountReader, type AccountReader } from '../../src/ledger/read/read-accounts.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { curveAt, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { PidGains } from '../../src/config/settings.ts';
import type { Reservation, ReservationMoments } from '../../src/ledger/reservation.ts';
import { LINK_UP } from '../../testkit/link-up.ts';

export interface LedgerRig {
  readonly redis: RedisClient;
  readonly ledger: Ledger;
  readonly accounts: AccountReader;
  readonly keys: ReturnType<typeof createLedgerKeys>;
  /** Sets the clock of the scripts. */
  at(ms: number): Promise<void>;
  /** Marks all hits stored in Postgres before this moment as folded. */
  horizon(ms: number): Promise<void>;
  reserve(imps: readonly (readonly RankedCandidate[])[], userHash?: string | null, curve?: TrafficCurve): Promise<Reservation>;
  /** Sends this many requests for one candidate; resolves to the number of reservations. */
  reserveMany(candidate: RankedCandidate, requests: number, userHash?: string | null, curve?: TrafficCurve): Promise<number>;
  settle(
    ad: ServedAd,
    kind?: Hit['kind'],
    changes?: { readonly item?: LineItem; readonly campaign?: Campaign; readonly eventType?: string; readonly late?: boolean },
  ): Promise<{ outcome: string; billedMicros: number; foundHold: boolean }>;
  /** Kind, reason and bill of each event of publisher 1 in the stream. */
  events(): Promise<readonly (readonly [kind: Hit['kind'], reason: string, billedMicros: number])[]>;
  close(): void;
}

/** A ledger on a real Redis, with a clock that is set by hand. */
export const createLedgerRig = async (
  redisUrl: string,
  { tokenTtlMs = 30 * MINUTE, pid = { kp: 0.3, ki: 0.05, kd: 0.1 } }: { readonly tokenTtlMs?: number; readonly pid?: PidGains } = {},
): Promise<LedgerRig> => {
  const redis = await patientRedis(redisUrl);
  await redis.flushdb();
  const keys = createLedgerKeys(4);
  const ledger = createLedger({
    redis,
    link: LINK_UP,
    keys,
    tokenTtlMs,
    pid,
    clock: VIRTUAL_CLOCK_KEY,
    onFailure: (_script, fault) => {
      throw fault;
    },
  });
  let nowMs = NOON;
  /** The amount billed according to the stored event of a hit. */
  const billedFor = async (hit: Hit): Promise<number> => {
    for (const [, fields] of await redis.xrevrange(keys.events(1), '+', '-')) {
      const own = splitEntry(fields).find(([, event]) => event === hitText(hit));
      if (own) return readEvent(own).billedMicros;
    }
    throw new Error('no event was stored');
  };
  const rig: LedgerRig = {
    redis,
    ledger,
    keys,
    accounts: createAccountReader({ redis, keys, clock: VIRTUAL_CLOCK_KEY }),
    at: async (ms) => {
      nowMs = ms;
      await redis.set(VIRTUAL_CLOCK_KEY, ms);
    },
    horizon: async (ms) => {
      await redis.set(keys.horizon(1), ms);
    },
    reserve: async (imps, userHash = null, curve = curveAt(nowMs)) => {
      const reservation = await ledger.reserve({ publisherId: 1, userHash, curve, expiresAtMs: Date.now() + DAY, imps });
      if (!reservation) throw new Error('the ledger gave no answer');
      return reservation;
    },
    reserveMany: async (one, requests, userHash = null, curve = curveAt(nowMs)) => {
      const answers = await Promise.all(Array.from({ length: requests }, () => rig.reserve([[one]], userHash, curve)));
      return answers.filter(({ imps }) => imps[0]?.winner === 0).length;
    },
    settle: async (ad, kind = 'impression', { item, campaign: of, eventType = '', late = false } = {}) => {
      const limits = item ? limitsOf(item, of ?? campaign()) : NO_LIMITS;
      const hit: Hit = { ad, kind, eventType, invalidReason: '', atMs: nowMs, country: null, device: null };
      const settled = await ledger.settle(hit, { limits, expiresAtMs: Date.now() + DAY }, { late });
      if (!settled) throw new Error('the ledger gave no answer');
      return { ...settled, billedMicros: settled.outcome === 'counted' ? await billedFor(hit) : 0 };
    },
    events: async () =>
      (await redis.xrange(keys.events(1), '-', '+')).flatMap(([, fields]) =>
        splitEntry(fields).map((event) => {
          const { hit, reason, billedMicros } = readEvent(event);
          return [hit.kind, reason, billedMicros] as const;
        }),
      ),
    close: () => redis.disconnect(),
  };
  await rig.at(NOON);
  return rig;
};

let served = 0;

/** The token of a reservation's first winner, as POST /ad creates it. */
export const servedAd = (reservation: Reservation, won: RankedCandidate, userHash: string | null = null): ServedAd => ({
  tokenId: `token-${++served}`,
  publisherId: 1,
  campaignId: won.lineItem.campaignId,
  lineItemId: won.lineItem.id,
  creativeId: won.creative.id,
  placementId: 'top',
  priceMicros: laterPriceMicros(won.lineItem) ?? won.priceMicros,
  billsOn: billsOnOf(won.lineItem),
  ...momentsOf(reservation),
  servedAtMs: 0,
  userHash,
  counted: userHash === null ? undefined : countedOf(won),
  billingNotice: false,
});

/** When the first winner of a reservation ends. */
export const momentsOf = ({ imps }: Reservation): ReservationMoments => {
  const moments = imps.find((imp) => imp.moments)?.moments;
  if (!moments) throw new Error('nothing was reserved');
  return moments;
};
