import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { Campaign, Pacing } from '../../src/catalog/model/entities.ts';
import type { PidGains } from '../../src/config/settings.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { createAccountReader, type Account } from '../../src/ledger/read/read-accounts.ts';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import type { Reservation, ReservationMoments } from '../../src/ledger/reservation.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { sampleCreative, sampleLineItem } from '../sample-booking.ts';
import { createChance, type Chance } from '../chance.ts';
import { createTraffic, isWithin, type Period, type TrafficOptions } from './traffic.ts';

export interface DayOptions extends Omit<TrafficOptions, 'chance'> {
  readonly redisUrl: string;
  readonly seed: number;
  readonly modes: readonly Pacing[];
  /** Daily impression cap of the line item of each mode. */
  readonly cap: number;
  /** The hourly traffic that pacing expects; undefined: flat. */
  readonly learned: HourlyTraffic | undefined;
  /** No request reaches the service. */
  readonly outage: Period | undefined;
  /** The part of the selections that renders; the rest expires with its token. */
  readonly renderRate: number;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  /** One replica each: how far its clock is ahead of Redis's. */
  readonly clockSkewsMs: readonly number[];
  readonly stepMs: number;
  readonly onMinute?: (minute: number) => void;
}

/** The accounts at the start of a minute of the day: 0 … 1440. */
export interface Minute {
  readonly requests: number;
  readonly accounts: ReadonlyMap<Pacing, Account>;
}

export interface SimulatedDay {
  readonly minutes: readonly Minute[];
  /** After the last token of the day has ended: impressions that count to the day, and any beyond what was reserved. */
  readonly delivered: ReadonlyMap<Pacing, number>;
  readonly requests: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** Any day; only its hours matter. */
const DAY_START_MS = Date.UTC(2026, 2, 10);
const PUBLISHER = 1;

/** Most ads render within seconds; 5 % are in a background tab for up to ten minutes. */
const renderDelayMs = (chance: Chance): number => (chance() < 0.95 ? 300 + 4000 * chance() : 10 * MINUTE_MS * chance());

/** One day of one publisher: the service's Lua scripts on a real Redis, with a clock that the simulation sets. */
export const simulateDay = async (options: DayOptions): Promise<SimulatedDay> => {
  const { seed, modes, learned, outage, stepMs } = options;
  const connect = () => createRedisClient({ urls: [options.redisUrl], commandTimeoutMs: 30_000, name: 'simulation' });
  const keys = createLedgerKeys(1);
  const link = { up: true, upOf: () => true, suspect: () => undefined, roundTripSeconds: 0, stop: () => undefined };
  const onFailure = (_script: string, fault: Error) => {
    throw fault;
  };
  const replicas = options.clockSkewsMs.map((skewMs) => {
    const redis = connect();
    const ledger = createLedger({
      redis,
      link,
      keys,
      tokenTtlMs: options.tokenTtlMs,
      pid: options.pid,
      clock: VIRTUAL_CLOCK_KEY,
      onFailure,
    });
    return { redis, ledger, skewMs };
  });
  const control = connect();
  await Promise.all([control, ...replicas.map(({ redis }) => redis)].map((redis) => new Promise((ready) => redis.once('ready', ready))));
  const reader = createAccountReader({ redis: control, keys, clock: VIRTUAL_CLOCK_KEY });
  await control.flushdb();

  const candidates = modes.map((pacing, i) => candidateOf(pacing, i + 1, options.cap));
  const expiresAtMs = Date.now() + 7 * 86_400_000;
  const limits = { limits: NO_LIMITS, expiresAtMs };
  const rendering = new Map<number, ServedAd[]>();
  // One random sequence per use, so that the order of replies changes nothing.
  const arrivals = createTraffic({ ...options, chance: createChance(seed) });
  const balance = createChance(seed + 1);
  const rendered = modes.map((_, i) => createChance(seed + 2 + i));
  let tokens = 0;
  let requests = 0;

  const reserve = async (nowMs: number, replicaAt: number): Promise<Reservation> => {
    const { ledger, skewMs } = replicas[replicaAt]!;
    const curve = curveAt(nowMs + skewMs, learned);
    const imps = candidates.map((one) => [one]);
    const reservation = await ledger.reserve({ publisherId: PUBLISHER, userHash: null, curve, expiresAtMs, imps });
    if (!reservation) throw new Error('the ledger gave no answer');
    return reservation;
  };

  const render = (nowMs: number, reservation: Reservation): void => {
    reservation.imps.forEach(({ moments }, i) => {
      const chance = rendered[i]!;
      if (!moments || chance() >= options.renderRate) return;
      const dueStep = Math.ceil((nowMs + renderDelayMs(chance)) / stepMs);
      const due = rendering.get(dueStep) ?? [];
      due.push(servedAd(`t${++tokens}`, moments, candidates[i]!));
      rendering.set(dueStep, due);
    });
  };

  const step = async (nowMs: number, count: number): Promise<void> => {
    await control.set(VIRTUAL_CLOCK_KEY, nowMs);
    const due = rendering.get(nowMs / stepMs) ?? [];
    rendering.delete(nowMs / stepMs);
    const settled = due.map((ad, i) => {
      const hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: nowMs, country: null, device: null } as const;
      // Any replica, not the one that selected, as behind a balancer.
      return replicas[i % replicas.length]!.ledger.settle(hit, limits);
    });
    const reserved = Array.from({ length: count }, () => reserve(nowMs, Math.floor(balance() * replicas.length)));
    for (const reservation of await Promise.all(reserved)) render(nowMs, reservation);
    await Promise.all(settled);
    requests += count;
  };

  const read = async (since: number): Promise<Minute> => {
    const accounts = await reader.lineItems(
      PUBLISHER,
      candidates.map(({ lineItem }) => lineItem.id),
    );
    return { requests: requests - since, accounts: new Map(modes.map((mode, i) => [mode, accounts[i] ?? NOTHING_YET])) };
  };

  try {
    const minutes: Minute[] = [];
    for (let minute = 0; minute < DAY_MINUTES; minute++) {
      const fromMs = DAY_START_MS + minute * MINUTE_MS;
      const away = outage !== undefined && isWithin(minute, outage);
      // Once a minute the fold's horizon advances and the stream is emptied: no event writer runs here.
      await control.mset(VIRTUAL_CLOCK_KEY, fromMs, keys.horizon(0), fromMs);
      await control.del(keys.events(0));
      const before = requests;
      minutes.push(await read(before));
      for (let ms = 0; ms < MINUTE_MS; ms += stepMs) {
        await step(fromMs + ms, away ? 0 : arrivals(minute + ms / MINUTE_MS, stepMs / MINUTE_MS));
      }
      minutes[minute] = { ...minutes[minute]!, requests: requests - before };
      options.onMinute?.(minute);
    }
    // The day's counts are final just before midnight; then its last tokens render or expire.
    await control.set(VIRTUAL_CLOCK_KEY, DAY_START_MS + DAY_MINUTES * MINUTE_MS - 1);
    minutes.push(await read(requests));
    for (let ms = 0; ms <= options.tokenTtlMs + MINUTE_MS; ms += stepMs) await step(DAY_START_MS + DAY_MINUTES * MINUTE_MS + ms, 0);
    // An account starts a new day with its first request; until then it shows yesterday.
    const last = await read(requests);
    const delivered = new Map(modes.map((mode) => [mode, (last.accounts.get(mode) as Account).yesterday.impressions]));
    return { minutes, delivered, requests };
  } finally {
    for (const { redis } of replicas) redis.disconnect();
    control.disconnect();
  }
};

const NO_COUNTS = { serves: 0, impressions: 0, clicks: 0, spendMicros: 0 };
const NOTHING_YET: Account = {
  day: 0,
  today: NO_COUNTS,
  yesterday: NO_COUNTS,
  totalImpressions: 0,
  totalSpendMicros: 0,
  heldToday: 0,
  heldTodayMicros: 0,
  heldMicros: 0,
  broken: 0,
};

const FLIGHT = { startMs: DAY_START_MS - 30 * DAY_MINUTES * MINUTE_MS, endMs: DAY_START_MS + 30 * DAY_MINUTES * MINUTE_MS };
const CAMPAIGN: Campaign = { id: 1, publisherId: PUBLISHER, name: 'simulated', flight: FLIGHT, budgetMicros: null };

const candidateOf = (pacing: Pacing, id: number, dailyImpressionCap: number): RankedCandidate => {
  const lineItem = sampleLineItem({ id, publisherId: PUBLISHER, name: pacing, flight: FLIGHT, pacing, dailyImpressionCap });
  const creative = sampleCreative(id);
  return { creative, lineItem, campaign: CAMPAIGN, ecpmMicros: 1_000_000, priceMicros: 1000, expectedMicros: 1000, position: 0, bid: -1 };
};

const servedAd = (tokenId: string, moments: ReservationMoments, { lineItem, creative, priceMicros }: RankedCandidate): ServedAd => ({
  tokenId,
  publisherId: PUBLISHER,
  campaignId: lineItem.campaignId,
  lineItemId: lineItem.id,
  creativeId: creative.id,
  placementId: creative.placementId,
  priceMicros,
  perClick: false,
  ...moments,
  userHash: null,
  billingNotice: false,
});
