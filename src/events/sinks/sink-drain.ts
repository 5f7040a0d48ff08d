import { MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { LedgerKeys } from '../../ledger/ledger-keys.ts';
import { entryMs } from '../../ledger/read/oldest-unstored.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import type { RedisLink } from '../../redis/redis-link.ts';
import type { StreamEntry } from '../../redis/stream-consumer.ts';
import type { DeadEvent, DeadEvents } from '../postgres/dead-events.ts';
import { spellOut } from '../read-event.ts';
import { createShardLoops, type ShardLoop } from '../shard-loops.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { hoursOf, readEntries } from './read-entries.ts';
import type { SinkGaps, SkippedEntries } from './sink-gaps.ts';
import { HOLD_MS, type SinkMarks } from './sink-marks.ts';
import { toSinkEvent, type ReadContexts } from './to-sink-event.ts';
import { createWriteEach, type Delivery } from './write-each.ts';

export interface SinkDrainOptions {
  readonly redis: RedisClient;
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly keys: LedgerKeys;
  readonly sinks: readonly ConfiguredSink[];
  readonly marks: SinkMarks;
  readonly gaps: Pick<SinkGaps, 'add'>;
  readonly deadEvents: Pick<DeadEvents, 'add'>;
  readonly readContexts: ReadContexts;
  /** How many replicas run: each has its share of the shards of a sink. */
  readonly replicas: () => number;
  /** Entries that a shard's stream may have before a sink that is behind passes over them. */
  readonly lagLimit: number;
  readonly idleMs?: number;
  /** How often a replica looks for shards that no replica has, and keeps those that it has. */
  readonly lookMs?: number;
  /** How long a sink is left alone after a failure, the first time; then twice as long, up to `maxRetryMs`. */
  readonly retryMs?: number;
  readonly maxRetryMs?: number;
  /** How far a sink must be behind to pass over entries. */
  readonly spillAgeMs?: number;
  readonly onWritten: (sink: string, events: number) => void;
  readonly onFailure: (sink: string, fault: Error) => void;
  readonly onSpilled: (skipped: SkippedEntries, events: number) => void;
  readonly onDead: (sink: string, dead: DeadEvent) => void;
}

const IDLE_MS = 1_000;
const LOOK_MS = HOLD_MS / 3;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** A sink may gather events for more than a minute. */
const SPILL_AGE_MS = 3 * MS_PER_MINUTE;
/** With fewer events a shard rests for IDLE_MS: a write costs a sink as much as so many events. */
const FEW_EVENTS = 500;
const FIRST_ENTRIES = 200;
const MAX_ENTRIES = 5_000;
/** A write that takes longer is given up, and repeated. */
const WRITE_MS = 2 * MS_PER_MINUTE;

/**
 * Hands the settled events of each shard to each sink, in order and at least once. Of all replicas one has a shard of a sink; it
 * notes in Redis up to which entry the sink has them. Sinks and shards are independent: a sink that is away or slow delays none.
 * When it is too far behind, it passes over the entries, and the hours that it lacks are noted (sink-gaps.ts).
 */
export const createSinkDrain = (options: SinkDrainOptions) => {
  const { redis, link, keys, sinks, marks, gaps, deadEvents, readContexts, replicas, lagLimit } = options;
  const { idleMs = IDLE_MS, lookMs = LOOK_MS, retryMs = RETRY_MS, maxRetryMs = MAX_RETRY_MS, spillAgeMs = SPILL_AGE_MS } = options;

  /** Writes that are given up then have not failed. */
  let isStopping = false;

  /** What the loops of a sink share. */
  interface Shared {
    /** Its shards that are this replica's. */
    readonly owned: Set<number>;
    readonly writeEach: ReturnType<typeof createWriteEach<Delivery>>;
  }

  const carriage = ({ sink, keepsUserHash }: ConfiguredSink, { owned, writeEach }: Shared, shard: number): ShardLoop => {
    const { name } = sink;
    const stream = keys.events(shard);
    let mark: string | undefined;
    let entriesAtOnce = FIRST_ENTRIES;

    const read = (after: string, count: number) =>
      redis.xrange(stream, `(${after}`, '+', 'COUNT', count) as Promise<readonly StreamEntry[]>;

    const leave = async (): Promise<void> => {
      owned.delete(shard);
      mark = undefined;
      await marks.leave(shard, name);
    };

    const hold = async (): Promise<boolean> => {
      const share = Math.ceil(keys.shards / Math.max(replicas(), 1));
      if (owned.has(shard) ? owned.size > share : owned.size >= share) {
        if (owned.has(shard)) await leave();
        return false;
      }
      // Before the answer: shards are looked for at the same time.
      owned.add(shard);
      const isHeld = await marks.hold(shard, name).catch((fault: unknown) => {
        owned.delete(shard);
        throw fault;
      });
      if (!isHeld) owned.delete(shard);
      if (!isHeld || mark === undefined) mark = isHeld ? await marks.read(shard, name) : undefined;
      return isHeld;
    };

    const advance = async (id: string): Promise<void> => {
      mark = (await marks.advance(shard, name, id)) ? id : undefined;
      if (mark === undefined) owned.delete(shard);
    };

    /** Runs `work` while the shard stays this replica's. */
    const whileHeld = async (stopping: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
      const lost = new AbortController();
      const timer = setInterval(() => {
        marks.hold(shard, name).then(
          (isHeld) => !isHeld && lost.abort(new Error('Another replica has the shard.')),
          () => undefined,
        );
      }, lookMs);
      try {
        await work(AbortSignal.any([lost.signal, stopping, AbortSignal.timeout(WRITE_MS)]));
      } finally {
        clearInterval(timer);
      }
    };

    const bury = async ({ entryId, fields }: Delivery, reason: string): Promise<void> => {
      const dead: DeadEvent = { source: `sink:${name}`, shard, entryId, fields: spellOut(fields), sqlState: null, reason };
      await deadEvents.add(dead);
      options.onDead(name, dead);
    };

    /** Resolves to the number of events. */
    const write = async (entries: readonly StreamEntry[], stopping: AbortSignal): Promise<number> => {
      const read = readEntries(entries);
      const contextOf = await readContexts(read.map(({ event }) => event));
      const deliveries = read.map(({ event, ...entry }) => ({ ...entry, event: toSinkEvent(event, contextOf(event), keepsUserHash) }));
      for (let from = 0; from < deliveries.length; from += sink.maxEvents) {
        const some = deliveries.slice(from, from + sink.maxEvents);
        const id = [shard, entries[0]![0], entries.at(-1)![0], from].join('-');
        await whileHeld(stopping, (signal) => writeEach({ shard, id }, some, signal, bury));
      }
      options.onWritten(name, deliveries.length);
      return deliveries.length;
    };

    /** Passes over what waits, when it is too much. Resolves to whether it did. */
    const spill = async (from: string): Promise<boolean> => {
      const [oldest] = await read(from, 1);
      if (oldest === undefined || Date.now() - entryMs(oldest[0]) < spillAgeMs || (await redis.xlen(stream)) <= lagLimit) return false;
      const [newest] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1);
      const hours = new Map<string, { day: string; hour: string }>();
      let [last, events] = [from, 0];
      while (newest && entryMs(last) <= entryMs(newest[0])) {
        const page = await read(last, MAX_ENTRIES);
        if (page.length === 0) break;
        const found = readEntries(page);
        events += found.length;
        for (const hour of hoursOf(found)) hours.set(`${hour.day} ${hour.hour}`, hour);
        last = page.at(-1)![0];
        await marks.hold(shard, name);
      }
      const skipped = { sink: name, shard, after: from, to: last, hours: [...hours.values()] };
      // Before the mark: what is noted twice is filled once.
      await gaps.add(skipped);
      await advance(last);
      options.onSpilled(skipped, events);
      return true;
    };

    return {
      shard,
      pass: async (stopping) => {
        if (!(await hold()) || mark === undefined) return lookMs;
        if (await spill(mark)) return 0;
        const asked = entriesAtOnce;
        const entries = await read(mark, asked);
        const last = entries.at(-1);
        if (!last) return idleMs;
        const events = await write(entries, stopping);
        await advance(last[0]);
        entriesAtOnce = Math.min(Math.max(Math.ceil((sink.maxEvents * entries.length) / Math.max(events, 1)), 1), MAX_ENTRIES);
        if (entries.length >= asked) return 0;
        return events < FEW_EVENTS ? idleMs : idleMs / 5;
      },
      onFailure: (fault, failures) => {
        if (!isStopping) options.onFailure(name, fault);
        return Math.min(retryMs * 2 ** failures, maxRetryMs);
      },
      finish: async () => {
        // A shard that cannot be left is free when its hold ends.
        if (owned.has(shard)) await leave().catch(() => undefined);
      },
    };
  };

  const loops = createShardLoops({
    link,
    downMs: idleMs,
    loops: sinks.flatMap((configured) => {
      const shared = { owned: new Set<number>(), writeEach: createWriteEach<Delivery>(configured.sink) };
      return Array.from({ length: keys.shards }, (_, shard) => carriage(configured, shared, shard));
    }),
  });
  return {
    start: loops.start,
    /** Finishes or abandons the write of each shard, and leaves the shards to other replicas. */
    stop: async (): Promise<void> => {
      isStopping = true;
      await loops.stop();
      await Promise.allSettled(sinks.map(({ sink }) => sink.close()));
    },
  };
};

export type SinkDrain = ReturnType<typeof createSinkDrain>;
