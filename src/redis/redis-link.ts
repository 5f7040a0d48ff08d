import { Cluster } from 'ioredis';
import { IDLE_KEY_TTL_MS } from '../base/utc-day.ts';
import { answerWithin } from './answer-within.ts';
import { createClockOffset } from './clock-offset.ts';
import { defineScript } from './define-script.ts';
import { loadScript } from './load-script.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * Whether Redis is available. In a cluster each shard has its own state: an unavailable node
 * affects only its shards.
 */
export interface RedisLink {
  /** True when every shard is available. */
  readonly up: boolean;
  /**
   * False from the shard's first failed command until it accepts writes again. While it is false,
   * requests use the fallback without waiting.
   */
  upOf(shard: number): boolean;
  /**
   * Reports that a command of this shard failed or timed out: all requests use the fallback until a
   * probe succeeds.
   */
  suspect(shard: number): void;
  /** Duration of the last answered probe; NaN while Redis does not answer. */
  readonly roundTripSeconds: number;
  stop(): void;
}

/** A link that probes Redis. */
export interface ProbedRedisLink extends RedisLink {
  /**
   * Starts probing; until then every shard is down. Resolves when Redis first accepts the claim,
   * however long it is unavailable; rejects with a ClaimConflict when it holds another claim. Every
   * shard then stays down.
   */
  open(claim: string): Promise<void>;
  /** Another claim that Redis holds since this one was accepted; undefined: none. */
  readonly foreignClaim: string | undefined;
  /** Redis's clock, in epoch ms; this process's clock while Redis's is unknown. */
  nowMs(shard: number): number;
  /** The largest difference of a Redis clock from this process's, in ms; NaN: unknown. */
  readonly clockOffsetMs: number;
}

/** Redis holds the counters of another installation, or in another layout. */
export class ClaimConflict extends Error {
  constructor(found: string, own: string) {
    super(`Redis holds the counters of ${found}; this replica is of ${own}`);
    this.name = 'ClaimConflict';
  }
}

export interface RedisLinkOptions {
  readonly redis: RedisClient;
  /** The key of each shard's claim, on its node in a cluster. */
  readonly claimKeys: readonly string[];
  readonly probeMs?: number;
  /** Timeout of a probe; undefined: the command timeout of this connection. */
  readonly patienceMs?: number;
  /** This process's clock, epoch ms. */
  readonly now?: () => number;
}

/** Per round, in turns: 256 shards that are up take 13 s, 85 that are down a second. */
const MAX_PROBES_OF_UP = 4;
const MAX_PROBES_OF_DOWN = 16;

/**
 * Without this, a Redis whose packets are dropped would cost every request its command timeout.
 * With it, only the requests up to the first timeout wait. Probes run in the background every
 * `probeMs`. A probe writes: a demoted master, a full one and one with a full disk answer PING and
 * reads as before. In a cluster each shard is probed, because another node's answer says nothing
 * about its node.
 */
export const createRedisLink = ({ redis, claimKeys, probeMs = 200, patienceMs, now = Date.now }: RedisLinkOptions): ProbedRedisLink => {
  const lua = loadScript(new URL('./lua/probe.lua', import.meta.url));
  const probeKey = defineScript<[serverMs: number, claim: string]>(redis, 'probe', 1, lua);
  const clustered = redis instanceof Cluster;
  const shards = claimKeys.map((_, shard) => shard);
  const isUp = shards.map(() => false);
  /** One server has one clock. */
  const offsets = clustered ? shards.map(createClockOffset) : [createClockOffset()];
  const setAll = (up: boolean) => void isUp.fill(up);
  const set = (shard: number, up: boolean) => (clustered ? (isUp[shard] = up) : setAll(up));
  const takeDown = takeInTurns(MAX_PROBES_OF_DOWN);
  const takeUp = takeInTurns(MAX_PROBES_OF_UP);
  let roundTripSeconds = NaN;
  /** Shards whose probe is under way: a node that hangs must not delay the probes of others. */
  const probing = new Set<number>();
  let accepted = false;
  let foreignClaim: string | undefined;
  let opening: { readonly claim: string; readonly accept: () => void; readonly refuse: (conflict: ClaimConflict) => void } | undefined;

  const clockOffsetMs = () => offsets.map(({ ms }) => ms).reduce(farthest, NaN);

  /** The claim that a shard holds; undefined: it does not answer, or refuses writes. */
  const probeShard = async (shard: number, claim: string): Promise<string | undefined> => {
    const [begun, sentMs] = [performance.now(), now()];
    probing.add(shard);
    try {
      const [serverMs, found] = await answerWithin(patienceMs, probeKey(claimKeys[shard] ?? '', claim, IDLE_KEY_TTL_MS));
      roundTripSeconds = (performance.now() - begun) / 1000;
      offsets[clustered ? shard : 0]?.note(serverMs, sentMs, now());
      if (accepted) set(shard, true);
      return found;
    } catch {
      // Not reported as an error: the gauge shows that Redis is down.
      set(shard, false);
      return undefined;
    } finally {
      probing.delete(shard);
    }
  };

  const dueShards = (): readonly number[] => {
    if (!clustered) return probing.size === 0 ? [0] : [];
    // The first round probes all shards, to find a foreign claim on any of them.
    if (!accepted) return probing.size === 0 ? shards : [];
    const idle = shards.filter((shard) => !probing.has(shard));
    return [...takeDown(idle.filter((shard) => !isUp[shard])), ...takeUp(idle.filter((shard) => isUp[shard]))];
  };

  const probe = async (): Promise<void> => {
    if (opening === undefined) return;
    // A dead node sends no MOVED reply, so the new owner of its cluster slots has to be looked up.
    if (clustered && isUp.includes(false)) redis.refreshSlotsCache(() => undefined);
    const { claim, accept, refuse } = opening;
    const due = dueShards();
    const found = await Promise.all(due.map((shard) => probeShard(shard, claim)));
    const answered = found.filter((one) => one !== undefined);
    const foreign = answered.find((one) => one !== claim);
    if (!accepted && foreign !== undefined) {
      opening = undefined;
      refuse(new ClaimConflict(foreign, claim));
    } else if (!accepted && answered.length > 0) {
      accepted = true;
      due.forEach((shard, i) => set(shard, found[i] !== undefined));
      accept();
    } else if (answered.length > 0) foreignClaim = foreign;
  };

  const timer = setInterval(() => void probe(), probeMs).unref();
  redis.on('close', () => setAll(false));
  redis.on('end', () => setAll(false));
  redis.on('ready', () => void probe());
  // Without a listener ioredis prints connection errors itself. The gauge shows the state, and its
  // change is logged once.
  redis.on('error', () => setAll(false));
  return {
    open: (claim) =>
      new Promise((accept, refuse) => {
        opening = { claim, accept, refuse };
        void probe();
      }),
    get up() {
      return isUp.every(Boolean);
    },
    upOf: (shard) => isUp[shard] === true,
    suspect: (shard) => void set(shard, false),
    get roundTripSeconds() {
      return isUp.includes(true) ? roundTripSeconds : NaN;
    },
    get foreignClaim() {
      return foreignClaim;
    },
    nowMs: (shard) => {
      const own = offsets[clustered ? shard : 0]?.ms ?? NaN;
      const offsetMs = Number.isNaN(own) ? clockOffsetMs() : own;
      return now() + (Number.isNaN(offsetMs) ? 0 : Math.round(offsetMs));
    },
    get clockOffsetMs() {
      return clockOffsetMs();
    },
    stop: () => clearInterval(timer),
  };
};

/** The offset farther from zero; NaN is unknown. */
const farthest = (one: number, other: number): number => (Number.isNaN(one) || Math.abs(other) > Math.abs(one) ? other : one);

/** Takes at most `max` of a list, the next ones with each call. */
const takeInTurns = (max: number): ((list: readonly number[]) => readonly number[]) => {
  let next = 0;
  return (list) => {
    if (list.length <= max) return list;
    const from = next % list.length;
    next = from + max;
    return [...list.slice(from), ...list.slice(0, from)].slice(0, max);
  };
};
