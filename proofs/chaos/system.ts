import { setTimeout as sleep } from 'node:timers/promises';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { createEventWriter } from '../../src/events/event-writer.ts';
import { readEvent, splitEntry } from '../../src/events/read-event.ts';
import { createDeadEvents, type DeadEvent } from '../../src/events/postgres/dead-events.ts';
import { provisionalTokens } from '../../src/events/postgres/event-rows.ts';
import type { EventStore } from '../../src/events/postgres/event-store.ts';
import { PROVISIONAL, type Hit, type Settled } from '../../src/ledger/hit.ts';
import type { LotReport } from '../../src/ledger/allowances/report-lots.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { createExpireClicks } from '../../src/ledger/settle/expire-clicks.ts';
import { createJudgeClicks, createUnderJudgement } from '../../src/ledger/settle/judge-clicks.ts';
import { createAccountReader, type Account } from '../../src/ledger/read/read-accounts.ts';
import type { StreamEntry } from '../../src/redis/stream-consumer.ts';
import { createFold } from '../../src/tracking/fold-hits.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';
import { createPendingHits, type PendingHits } from '../../src/tracking/pending-hits.ts';
import { createRecoverProvisional } from '../../src/tracking/recover-provisional.ts';
import { createChance } from '../../testkit/chance.ts';
import { STORY_ACTIVITY } from './story-activity.ts';
import { hitKey, storedHits } from './hit-key.ts';
import type { Lane } from './lane.ts';
import { openLostBooks } from './lost-books.ts';
import { createReplica, FIRST_SETTINGS, type Replica } from './replica.ts';
import type { Loss, Settings, World } from './story.ts';

export const SHARDS = 4;
const SHARD_IDS = Array.from({ length: SHARDS }, (_, shard) => shard);
/** How long one pass of the fold may take; one that cannot finish is ended. */
const MAX_FOLD_MS = 150;
/** Of real time: a busy machine is not a store that is away. */
const STORE_TIMEOUT_MS = 60_000;

/** An event as the stream of its shard carries it. */
export interface LoggedEvent {
  readonly hit: Hit;
  /** Why it is filtered, or ''. */
  readonly reason: string;
  readonly atMs: number;
  readonly billedMicros: number;
  /** It was provisional. */
  readonly isJudged?: boolean;
}

export interface Lots {
  readonly held: readonly LotReport[];
  /** With those. */
  readonly mayBeHeld: readonly LotReport[];
}

/** Everything that the code under test has to offer to a story; the only file (with replica.ts) that knows its interfaces. */
export interface System {
  /** Faults that no step caused, and impressions that did not find their hold, since the last call. */
  takeSurprises(): readonly string[];
  /** Keys of hits that Postgres accepted since the last call. */
  takeStored(): readonly string[];
  /** Impressions that replicas decided without Redis. */
  readonly decidedByLots: number;
  replica(n: number): Replica;
  /** Lots of which Redis holds something, and those of which it may, as killed replicas had them or reported them without an answer. */
  lots(publisherId: number): Lots;
  /** Serves that a killed replica had not reported, or of which the report may be lost. */
  unreported(lineItemId: number, day: number): number;
  /** Seeds the random choices of the next step. */
  seedStep(seed: number): void;
  setSnapshot(n: number, snapshot: Snapshot): void;
  /** A new process in the place of a replica, with other settings or the same. */
  restart(n: number, tokenTtlMs: number, settings: Settings): void;
  /** Whether the serves that a replica is about to report are counted will not be known. */
  doubtReport(n: number): void;
  setPostgres(mode: 'up' | 'down' | 'loseReply'): void;
  fold(n: number): Promise<void>;
  carry(n: number, killed: boolean): Promise<void>;
  /** Judges the provisional clicks that are due. */
  judge(n: number): Promise<void>;
  /** Clicks under judgement that Redis lost are settled again. */
  recoverProvisional(): Promise<void>;
  /** Events settled since the last call; and, at the same moment, the keys of hits that wait for their impression. */
  newEvents(): Promise<{
    readonly events: readonly LoggedEvent[];
    readonly waiting: ReadonlySet<string>;
    /** Filtered and provisional hits, `day:line item:kind:reason`. */
    readonly tallies: ReadonlyMap<string, number>;
  }>;
  waiting(): Promise<number>;
  accounts(publisherId: number, lineItems: readonly number[], campaigns: readonly number[]): Promise<readonly (Account | undefined)[]>;
  /** Copies what Redis has. */
  keep(): Promise<void>;
  /** Redis loses data. */
  lose(how: Loss): Promise<Lost>;
  /** Every replica finds out, and accounts are rebuilt. */
  recover(): Promise<void>;
  close(): Promise<void>;
  /** Every hit stored in Postgres before this moment has been folded. */
  horizonMs(publisherId: number): Promise<number>;
}

export interface Lost {
  /** The events that Redis, or Postgres, still has, by key; 'provisional': what came of the click is lost. */
  readonly kept: ReadonlyMap<string, 'final' | 'provisional'>;
  /** Hits that waited for their impression in Redis alone, which may never come again. */
  readonly gone: readonly string[];
}

export interface SystemOptions {
  readonly lane: Lane;
  readonly world: World;
  readonly nowMs: () => number;
  readonly snapshot: Snapshot;
  /** Whether an account of the ad was damaged: its holds may be gone. */
  readonly isDamaged: (ad: Hit['ad']) => boolean;
  readonly isPoison: (text: string) => boolean;
}

/** Of a hit in ledger/lua/waiting.lua: its time, record and event, a line each. */
const keyOfWaiting = ([name, hit]: readonly [string, string]): string => {
  const record = JSON.parse(hit.split('\n')[1] ?? '[]') as readonly unknown[];
  return `${name.split(' ')[0]} ${String(record.find((value) => value === 'click' || String(value).startsWith('event:')))}`;
};

export const createSystem = async ({ lane, world, nowMs, snapshot, isDamaged, isPoison }: SystemOptions): Promise<System> => {
  const keys = createLedgerKeys(SHARDS);
  const waitingKeys = async (): Promise<readonly string[]> => {
    const hits = await Promise.all(lastIds.map((_, shard) => lane.observer.redis.hgetall(`${keys.events(shard)}:waiting`)));
    return hits.flatMap((ofShard) => Object.entries(ofShard)).map(keyOfWaiting);
  };
  const surprises: string[] = [];
  const stored: string[] = [];
  let postgres: 'up' | 'down' | 'loseReply' = 'up';
  let chance = createChance(world.startMs);
  let ids = 0;
  /** Of replicas that were killed. */
  const unreported: LotReport[] = [];
  let decidedByLots = 0;
  let consumers = 0;
  const snapshots = world.replicas.map(() => snapshot);
  const surprise = (what: string, fault: Error): void => {
    // Of a failed query, knex puts the whole text before the fault.
    if (!fault.message.startsWith('chaos:')) surprises.push(`${what}: ${fault.message.split(' - ').at(-1) ?? ''}`);
  };

  const throughFaults = async <T>(work: () => Promise<T>): Promise<T> => {
    if (postgres === 'down') throw new Error('chaos: Postgres is unavailable');
    const result = await work();
    if (postgres === 'loseReply') throw new Error('chaos: the reply of Postgres was lost');
    return result;
  };
  const table = createPendingHits({ knex: lane.knex, storeTimeoutMs: STORE_TIMEOUT_MS });
  const pending: Pick<PendingHits, 'store' | 'waitingShards' | 'foldPage'> = {
    store: (hit, shard) =>
      throughFaults(async () => {
        const outcome = await table.store(hit, shard);
        if (outcome === 'stored') stored.push(hitKey(hit));
        return outcome;
      }),
    waitingShards: (shards) => throughFaults(() => table.waitingShards(shards)),
    foldPage: (shard, afterId, fold) => throughFaults(() => table.foldPage(shard, afterId, fold)),
  };
  const onSettled = (hit: Hit, { outcome, foundHold }: Settled): void => {
    if (outcome === 'counted' && !foundHold && !isDamaged(hit.ad)) surprises.push(`${hitKey(hit)} did not find its hold`);
  };
  const deadEvents = createDeadEvents({ knex: lane.knex });
  const onDead = ({ source, shard, entryId, fields, reason }: DeadEvent): void => {
    if (!fields.some(isPoison)) surprises.push(`${source} ${entryId} of shard ${shard} can never be stored: ${reason}`);
  };
  const books = world.mayLose
    ? await openLostBooks({ lane, keys, pending: table, nowMs, onFailure: (fault) => surprise('keeping books', fault) })
    : undefined;
  const zoneOffset = createZoneOffset();
  const now = (n: number): number => nowMs() + (world.replicas[n]?.skewMs ?? 0);
  const start = (n: number, tokenTtlMs: number, settings: Settings): Replica =>
    createReplica({
      client: lane.replicas[n]!,
      keys,
      pending,
      books: books?.keeper(n),
      tokenTtlMs,
      settings,
      snapshot: () => snapshots[n]!,
      now: () => now(n),
      newId: () => `t${++ids}`,
      random: () => chance(),
      zoneOffset,
      onSettled,
      onLots: (imps) => {
        decidedByLots += imps;
      },
      onFailure: (fault) => surprise('recording a hit', fault),
    });
  const replicas = world.replicas.map(({ ttlMs }, n) => start(n, ttlMs, FIRST_SETTINGS));
  const { redis, link } = lane.background;
  const backgroundLedgers = world.replicas.map((_, n) =>
    createLedger({
      redis,
      link,
      keys,
      tokenTtlMs: world.replicas[0]!.ttlMs,
      pid: FIRST_SETTINGS.pid,
      activityRule: STORY_ACTIVITY,
      books: books?.keeper(n),
    }),
  );
  const reader = createAccountReader({ redis: lane.observer.redis, keys });
  const expireClicks = createExpireClicks({ redis, keys });
  const judges = world.replicas.map((_, n) =>
    createJudgeClicks({
      ...{ redis, keys, books: books?.keeper(n), activityRule: STORY_ACTIVITY },
      provisionalRows: (clicks) => provisionalTokens(lane.knex, clicks),
    }),
  );
  const underJudgement = createUnderJudgement({ redis, keys });
  const recoverProvisional = createRecoverProvisional({ knex: lane.knex, pending: table, keys, underJudgement, now: nowMs });
  const lastIds = Array.from({ length: SHARDS }, () => '-');

  return {
    takeSurprises: () => surprises.splice(0),
    takeStored: () => stored.splice(0),
    get decidedByLots() {
      return decidedByLots;
    },
    replica: (n) => replicas[n]!,
    lots: (publisherId) => {
      const ofPublisher = (lot: LotReport): boolean => lot.publisherId === publisherId && lot.returned > 0;
      const unanswered = new Set(replicas.flatMap((replica) => replica.unanswered));
      const mayBeHeld = [...unreported, ...unanswered].filter(ofPublisher);
      const held = replicas.flatMap((replica) => replica.pending).filter((lot) => ofPublisher(lot) && !unanswered.has(lot));
      return { mayBeHeld: [...mayBeHeld, ...held], held };
    },
    unreported: (lineItemId, day) =>
      unreported.reduce((sum, one) => sum + (one.candidate.lineItem.id === lineItemId && one.day === day ? one.served : 0), 0),
    seedStep: (seed) => {
      chance = createChance(seed);
    },
    setSnapshot: (n, of) => {
      snapshots[n] = of;
    },
    doubtReport: (n) => {
      unreported.push(...replicas[n]!.pending.map((one) => ({ ...one, returned: 0 })));
    },
    restart: (n, tokenTtlMs, settings) => {
      unreported.push(...replicas[n]!.pending);
      replicas[n] = start(n, tokenTtlMs, settings);
    },
    setPostgres: (mode) => {
      postgres = mode;
    },
    fold: async (n) => {
      const advanced = new Set<number>();
      let failed = false;
      let [toFold, begun] = [0, -1];
      const fold = createFold({
        redis,
        link,
        keys,
        ledger: backgroundLedgers[n]!,
        booksSinceMs: () => books?.keeper(n).sinceMs(0) ?? 0,
        pending: {
          waitingShards: async (shards) => {
            const waiting = await pending.waitingShards(shards);
            if (begun < 0) [toFold, begun] = [[...waiting].filter((shard) => link.upOf(shard)).length, 0];
            return waiting;
          },
          foldPage: (...page) => {
            begun++;
            return pending.foldPage(...page);
          },
        },
        hitLimitsOf: (hit) => hitLimits(snapshots[n]!, hit),
        everyMs: 1,
        onAdvanced: (shard) => advanced.add(shard),
        onFolded: () => undefined,
        onSettled,
        onFailure: (fault) => {
          failed = true;
          surprise('folding', fault);
        },
        onDead,
      });
      fold.start();
      // A shard whose hits cannot be folded now does not advance.
      const deadline = performance.now() + MAX_FOLD_MS;
      // What has begun is folded to its end. On a busy machine the time may be over before anything has.
      const hasBegun = (): boolean => begun >= toFold || !SHARD_IDS.some((shard) => link.upOf(shard));
      const mayGoOn = (nowMs: number): boolean => nowMs < (hasBegun() ? deadline : deadline + STORE_TIMEOUT_MS);
      while (!failed && advanced.size < SHARDS && mayGoOn(performance.now())) await sleep(1);
      await fold.stop();
      try {
        for (let shard = 0; shard < SHARDS; shard++) if (link.upOf(shard)) await expireClicks(shard);
      } catch (fault) {
        surprise('filtering clicks', fault as Error);
      }
    },
    carry: async (n, killed) => {
      const append: EventStore['append'] = (events) =>
        throughFaults(async () => {
          const count = await lane.eventStore.append(events);
          if (killed && events.length > 0) throw new Error('chaos: killed between store and acknowledgement');
          return count;
        });
      const writer = createEventWriter({
        redis,
        link,
        keys,
        store: { ...lane.eventStore, append, recordServes: (counts) => throughFaults(() => lane.eventStore.recordServes(counts)) },
        consumer: `replica-${n}-${++consumers}`,
        idleMs: 1,
        claimAfterMs: 0,
        onFailure: (fault) => surprise('carrying events', fault),
        deadEvents: { add: (dead) => throughFaults(() => deadEvents.add(dead)) },
        onDead,
      });
      writer.start();
      await writer.stop();
      // The rows of two passes are counted together.
      if (consumers % 2 === 0 && postgres === 'up') await rollUpAll(lane.knex);
      if (postgres === 'up') await books?.beat(n);
    },
    judge: async (n) => {
      try {
        for (let shard = 0; shard < SHARDS; shard++) if (link.upOf(shard)) await judges[n]!(shard);
      } catch (fault) {
        surprise('judging clicks', fault as Error);
      }
    },
    recoverProvisional: async () => void (await recoverProvisional()),
    newEvents: async () => {
      // One write to the socket for all shards.
      const pipeline = lane.observer.redis.pipeline();
      for (const [shard, id] of lastIds.entries()) {
        pipeline.xrange(keys.events(shard), id === '-' ? id : `(${id}`, '+');
        pipeline.hgetall(`${keys.events(shard)}:waiting`);
        pipeline.hgetall(keys.filtered(shard));
      }
      const replies = (await pipeline.exec()) ?? [];
      const fault = replies.find(([error]) => error)?.[0];
      if (fault) throw fault;
      const streams = replies.filter((_, i) => i % 3 === 0).map(([, entries]) => entries as StreamEntry[]);
      const waiting = replies.filter((_, i) => i % 3 === 1).flatMap(([, own]) => Object.entries(own as Record<string, string>));
      const tallied = replies.filter((_, i) => i % 3 === 2).flatMap(([, of]) => Object.entries(of as Record<string, string>));
      const events = streams.flatMap((entries, shard) =>
        entries.flatMap(([id, fields]) => {
          lastIds[shard] = id;
          return splitEntry(fields ?? [])
            .filter((event) => !event.some(isPoison))
            .map(readEvent);
        }),
      );
      return {
        events,
        tallies: new Map(tallied.map(([name, count]) => [name, Number(count)])),
        waiting: new Set(waiting.map(keyOfWaiting)),
      };
    },
    waiting: () => table.count(),
    keep: async () => books?.keep(),
    lose: async (how) => {
      const waited = await waitingKeys();
      await books?.lose(how);
      const wait = new Set(await waitingKeys());
      const streams = await Promise.all(lastIds.map((_, shard) => lane.observer.redis.xrange(keys.events(shard), '-', '+')));
      const inStreams = streams.flat().flatMap(([, fields]) =>
        splitEntry(fields)
          .map(readEvent)
          .map(({ hit, reason }) => ({ key: hitKey(hit), isProvisional: reason === PROVISIONAL })),
      );
      const kept = new Map<string, 'final' | 'provisional'>();
      for (const { key, isProvisional } of [...inStreams, ...(await storedHits(lane.knex))])
        if (kept.get(key) !== 'final') kept.set(key, isProvisional ? 'provisional' : 'final');
      return { kept, gone: waited.filter((key) => !wait.has(key)) };
    },
    recover: async () => books?.recover(),
    close: async () => books?.close(),
    accounts: async (publisherId, lineItems, campaigns) =>
      (await Promise.all([reader.lineItems(publisherId, lineItems), reader.campaigns(publisherId, campaigns)])).flat(),
    horizonMs: async (publisherId) => Number((await lane.observer.redis.get(keys.horizon(keys.shardOf(publisherId)))) ?? 0),
  };
};
