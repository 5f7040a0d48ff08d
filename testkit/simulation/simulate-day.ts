import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { PidGains } from '../../src/config/settings.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { createAccountReader, type Account } from '../../src/ledger/read/read-accounts.ts';
import { createRedisClient } from '../../src/redis/redis-client.ts';
import type { Reservation } from '../../src/ledger/reservation.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { createChance, type Chance } from '../chance.ts';
import { DAY_START_MS, PUBLISHER, simulatedServe } from './simulated-booking.ts';
import { createTraffic, isWithin, type Period, type TrafficOptions } from './traffic.ts';
import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';

/** Requests that show the same candidates, each in an impression of its own. */
export interface SimulatedStream {
  /** Requests of the day, apart from a surge. */
  readonly requests: number;
  readonly candidates: readonly RankedCandidate[];
  /** Whether the candidates are booked and active in a minute of the simulation. Default: always. */
  readonly isLive?: (minute: number) => boolean;
}

export interface DayOptions extends Omit<TrafficOptions, 'chance' | 'requests'> {
  readonly redisUrl: string;
  readonly seed: number;
  readonly streams: readonly SimulatedStream[];
  /** Default: 1. The minutes of the simulation count on over midnight. */
  readonly days?: number;
  /** The traffic curve that pacing gets; undefined: flat. */
  readonly learned: HourlyTraffic | undefined;
  /** No request reaches the service. */
  readonly outage: Period | undefined;
  /** The part of the selections that renders; the rest expires with its token. */
  readonly renderRate: number;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  /** One replica each: by how much its clock is ahead of Redis's. */
  readonly clockSkewsMs: readonly number[];
  readonly stepMs: number;
  readonly onMinute?: (minute: number) => void;
}

/** The accounts, by the line item's name, at the start of a minute, or of a step that is longer. */
export interface Minute {
  readonly requests: number;
  readonly accounts: ReadonlyMap<string, Account>;
}

export interface SimulatedDay {
  /** Of a day: 0 … 1440. */
  readonly minutes: readonly Minute[];
  /** By the line item's name: its impressions after its last token has ended. */
  readonly delivered: ReadonlyMap<string, number>;
  readonly requests: number;
  /** In the order of the streams. */
  readonly requestsOfStream: readonly number[];
}

/** Most ads render within seconds; one in twenty waits up to ten minutes in a background tab. */
const renderDelayMs = (chance: Chance): number => (chance() < 0.95 ? 300 + 4000 * chance() : 10 * MS_PER_MINUTE * chance());

/** Days of one publisher: the service's own scripts on a real Redis with a virtual clock. */
export const simulateDay = async (options: DayOptions): Promise<SimulatedDay> => {
  const { seed, streams, days = 1, learned, outage, stepMs } = options;
  const tickMs = Math.max(stepMs, MS_PER_MINUTE);
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

  const candidates = streams.flatMap((stream) => stream.candidates);
  const expiresAtMs = Date.now() + 7 * MS_PER_DAY;
  const limits = { limits: NO_LIMITS, expiresAtMs };
  const rendering = new Map<number, ServedAd[]>();
  // A separate random sequence for each kind of choice, so that the order of the replies changes nothing.
  const arrivals = streams.map(({ requests: ofDay }, i) =>
    Array.from({ length: days }, (_, day) =>
      createTraffic({ ...options, requests: ofDay, chance: createChance(seed + 1000 * i + 100_000 * day) }),
    ),
  );
  const balance = createChance(seed + 1);
  const rendered = new Map(candidates.map((one, i) => [one, createChance(seed + 2 + i)]));
  let tokens = 0;
  let requests = 0;
  const requestsOfStream = new Map(streams.map((stream) => [stream, 0]));

  const reserve = async (nowMs: number, replicaAt: number, stream: SimulatedStream): Promise<Reservation> => {
    const { ledger, skewMs } = replicas[replicaAt]!;
    const curve = curveAt(nowMs + skewMs, learned);
    const imps = stream.candidates.map((one) => [one]);
    const reservation = await ledger.reserve({ publisherId: PUBLISHER, userHash: null, curve, expiresAtMs, imps });
    if (!reservation) throw new Error('the ledger gave no answer');
    return reservation;
  };

  const render = (nowMs: number, stream: SimulatedStream, reservation: Reservation): void => {
    reservation.imps.forEach(({ moments }, i) => {
      const chance = rendered.get(stream.candidates[i]!)!;
      if (!moments || chance() >= options.renderRate) return;
      const dueStep = Math.ceil((nowMs + renderDelayMs(chance)) / stepMs);
      const due = rendering.get(dueStep) ?? [];
      due.push(simulatedServe(`t${++tokens}`, moments, stream.candidates[i]!));
      rendering.set(dueStep, due);
    });
  };

  const step = async (nowMs: number, arrived: readonly SimulatedStream[]): Promise<void> => {
    await control.set(VIRTUAL_CLOCK_KEY, nowMs);
    const due = rendering.get(nowMs / stepMs) ?? [];
    rendering.delete(nowMs / stepMs);
    const settled = due.map((ad, i) => {
      const hit = { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: nowMs, country: null, device: null } as const;
      // Any replica, not only the one that selected the ad.
      return replicas[i % replicas.length]!.ledger.settle(hit, limits);
    });
    for (const stream of arrived) requestsOfStream.set(stream, requestsOfStream.get(stream)! + 1);
    const reserved = arrived.map((stream) => reserve(nowMs, Math.floor(balance() * replicas.length), stream));
    (await Promise.all(reserved)).forEach((reservation, i) => render(nowMs, arrived[i]!, reservation));
    await Promise.all(settled);
    requests += arrived.length;
  };

  const read = async (since: number): Promise<Minute> => {
    const accounts = await reader.lineItems(
      PUBLISHER,
      candidates.map(({ lineItem }) => lineItem.id),
    );
    return {
      requests: requests - since,
      accounts: new Map(candidates.map(({ lineItem }, i) => [lineItem.name, accounts[i] ?? NOTHING_YET])),
    };
  };

  /** The requests of one step in random order. */
  const arrivedAt = (minute: number): SimulatedStream[] => {
    if (outage && isWithin(Math.floor(minute), outage)) return [];
    const arrived = streams.flatMap((stream, i) => {
      const count = arrivals[i]![Math.floor(minute / MINUTES_PER_DAY)]!(minute % MINUTES_PER_DAY, stepMs / MS_PER_MINUTE);
      return stream.isLive?.(minute) === false ? [] : Array<SimulatedStream>(count).fill(stream);
    });
    return streams.length === 1 ? arrived : inRandomOrder(arrived, balance);
  };

  try {
    const minutes: Minute[] = [];
    for (let minute = 0; minute < days * MINUTES_PER_DAY; minute += tickMs / MS_PER_MINUTE) {
      const fromMs = DAY_START_MS + minute * MS_PER_MINUTE;
      // What the event writer does: it moves the fold horizon, and empties the event stream.
      await control.mset(VIRTUAL_CLOCK_KEY, fromMs, keys.horizon(0), fromMs);
      await control.del(keys.events(0));
      const before = requests;
      const begun = await read(before);
      for (let ms = 0; ms < tickMs; ms += stepMs) {
        await step(fromMs + ms, arrivedAt(minute + ms / MS_PER_MINUTE));
      }
      minutes.push({ ...begun, requests: requests - before });
      options.onMinute?.(minute);
    }
    // The last moment of the last day; then its last tokens render or end.
    const endMs = DAY_START_MS + days * MINUTES_PER_DAY * MS_PER_MINUTE;
    await control.set(VIRTUAL_CLOCK_KEY, endMs - 1);
    minutes.push(await read(requests));
    for (let ms = 0; ms <= options.tokenTtlMs + tickMs; ms += stepMs) await step(endMs + ms, []);
    const last = await read(requests);
    const delivered = new Map(Array.from(last.accounts, ([name, account]) => [name, account.totalImpressions]));
    return { minutes, delivered, requests, requestsOfStream: [...requestsOfStream.values()] };
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
  totalClicks: 0,
  heldToday: 0,
  heldTodayMicros: 0,
  heldMicros: 0,
  broken: 0,
};

const inRandomOrder = <T>(things: readonly T[], chance: Chance): T[] => {
  const shuffled = [...things];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
  }
  return shuffled;
};
