import { UTC_DAYS, type DayRule } from '../../src/base/local-day.ts';
import type { HourlyTraffic } from '../../src/catalog/snapshot/hourly-traffic.ts';
import type { PidGains } from '../../src/config/settings.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import type { SiblingCounts } from '../../src/catalog/snapshot/siblings.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { createLedgerKeys, VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { createAccountReader, type Account } from '../../src/ledger/read/read-accounts.ts';
import { patientRedis } from '../patient-redis.ts';
import type { ReservedImp } from '../../src/ledger/reservation.ts';
import { curveAt, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { ScheduledCurveOf } from '../../src/catalog/snapshot/scheduled-curve.ts';
import { createChance, type Chance } from '../chance.ts';
import { DAY_START_MS, PUBLISHER, simulatedServe } from './simulated-booking.ts';
import { createSimulatedReplica, type SimulatedReplica } from './simulated-replica.ts';
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
  /** Where it begins; default: DAY_START_MS. */
  readonly startMs?: number;
  /** The days of the publisher around a moment; default: those of UTC. */
  readonly daysAt?: (atMs: number) => DayRule;
  /** Default: 1. The minutes of the simulation count on over midnight. */
  readonly days?: number;
  /** The traffic curve that pacing gets; undefined: flat. */
  readonly learned: HourlyTraffic | undefined;
  /** The days of line items that serve at some hours only. Default: none does. */
  readonly scheduled?: ScheduledCurveOf;
  /** No request reaches the service. */
  readonly outage: Period | undefined;
  /** The part of the selections that renders; the rest expires with its token. */
  readonly renderRate: number;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  /** One replica each: by how much its clock is ahead of Redis's. */
  readonly clockSkewsMs: readonly number[];
  /** Of Redis's clock, and between two reports of a replica. Requests come in the parts of a step. */
  readonly stepMs: number;
  /** False: every ad is reserved by a call. Default: as in production, most are of lots. */
  readonly allowances?: boolean;
  readonly onMinute?: (minute: number) => void;
}

/** The accounts, by the line item's name, at the start of a minute, or of a step that is longer. */
export interface Minute {
  readonly requests: number;
  readonly accounts: ReadonlyMap<string, Account>;
  /** Ads held for later requests, by the line item's name. */
  readonly inStock: ReadonlyMap<string, number>;
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

/** The parts of a step whose requests come at the same moment. */
const PARTS = 3;

/** Most ads render within seconds; one in twenty waits up to ten minutes in a background tab. */
const renderDelayMs = (chance: Chance): number => (chance() < 0.95 ? 300 + 4000 * chance() : 10 * MS_PER_MINUTE * chance());

/** Days of one publisher: the service's own scripts on a real Redis with a virtual clock. */
export const simulateDay = async (options: DayOptions): Promise<SimulatedDay> => {
  const { seed, streams, days = 1, learned, outage, stepMs, startMs = DAY_START_MS, daysAt = () => UTC_DAYS } = options;
  const tickMs = Math.max(stepMs, MS_PER_MINUTE);
  const connect = () => patientRedis(options.redisUrl);
  const keys = createLedgerKeys(1);
  let replicaMs = startMs;
  const { tokenTtlMs, pid, allowances = true } = options;
  const connections = await Promise.all(options.clockSkewsMs.map(connect));
  const replicas = options.clockSkewsMs.map((skewMs, i) =>
    createSimulatedReplica({ redis: connections[i]!, keys, tokenTtlMs, pid, skewMs, allowances, clock: () => replicaMs }),
  );
  const control = await connect();
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

  let siblings: SiblingCounts | undefined;
  /** As the catalog has them: all streams are of one campaign, or of campaigns without a budget. */
  const siblingsAt = (minute: number): SiblingCounts => {
    if (siblings?.asOf === minute) return siblings;
    const live = streams.filter(({ isLive }) => isLive?.(minute) !== false).flatMap((stream) => stream.candidates);
    const asap = live.filter(({ lineItem }) => lineItem.pacing === 'ASAP').length;
    return (siblings = { asOf: minute, paced: live.length - asap, asap });
  };

  const reserve = ({ skewMs, reserve: reserveAt }: SimulatedReplica, stream: SimulatedStream): Promise<readonly ReservedImp[]> => {
    const atMs = replicaMs + skewMs;
    const curve: TrafficCurve = {
      ...curveAt(atMs, learned, undefined, daysAt(atMs)),
      scheduled: (lineItem, campaign) => options.scheduled?.(lineItem, campaign, atMs),
    };
    const minute = Math.floor((replicaMs - startMs) / MS_PER_MINUTE);
    const request = { publisherId: PUBLISHER, curve, expiresAtMs, siblingsOf: () => siblingsAt(minute) };
    return Promise.all(stream.candidates.map((one) => reserveAt([one], request)));
  };

  const render = (nowMs: number, stream: SimulatedStream, imps: readonly ReservedImp[]): void => {
    imps.forEach(({ moments }, i) => {
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
    for (let part = 0; part < PARTS; part++) {
      replicaMs = nowMs + (part * stepMs) / PARTS;
      const together = arrived.slice((part * arrived.length) / PARTS, ((part + 1) * arrived.length) / PARTS);
      const reserved = together.map((stream) => reserve(replicas[Math.floor(balance() * replicas.length)]!, stream));
      (await Promise.all(reserved)).forEach((imps, i) => render(replicaMs, together[i]!, imps));
    }
    // What is idle is returned before the next step.
    replicaMs = nowMs + stepMs - 1;
    if (allowances) await Promise.all(replicas.map((replica) => replica.report()));
    await Promise.all(settled);
    requests += arrived.length;
  };

  const read = async (since: number): Promise<Minute> => {
    const accounts = await reader.lineItems(
      PUBLISHER,
      candidates.map(({ lineItem }) => lineItem.id),
    );
    const inStock = ({ id }: { readonly id: number }, day: number): number =>
      replicas.reduce((sum, replica) => sum + replica.inStock(id, day), 0);
    return {
      requests: requests - since,
      accounts: new Map(candidates.map(({ lineItem }, i) => [lineItem.name, accounts[i] ?? NOTHING_YET])),
      inStock: new Map(candidates.map(({ lineItem }, i) => [lineItem.name, inStock(lineItem, accounts[i]?.day ?? 0)])),
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
      const fromMs = startMs + minute * MS_PER_MINUTE;
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
    const endMs = startMs + days * MINUTES_PER_DAY * MS_PER_MINUTE;
    await control.set(VIRTUAL_CLOCK_KEY, endMs - 1);
    minutes.push(await read(requests));
    for (let ms = 0; ms <= options.tokenTtlMs + tickMs; ms += stepMs) await step(endMs + ms, []);
    const last = await read(requests);
    const delivered = new Map(Array.from(last.accounts, ([name, account]) => [name, account.totalImpressions]));
    return { minutes, delivered, requests, requestsOfStream: [...requestsOfStream.values()] };
  } finally {
    for (const redis of connections) redis.disconnect();
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
