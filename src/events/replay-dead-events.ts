import type { Hit } from '../ledger/hit.ts';
import { readHit } from '../ledger/read-hit.ts';
import type { DeadEvents, StoredDeadEvent } from './postgres/dead-events.ts';
import type { StoredEvent } from './postgres/stored-event.ts';
import { SinkRefusal } from './sinks/event-sink.ts';
import type { EventStore } from './postgres/event-store.ts';
import { readEvent } from './read-event.ts';
import { lastingRefusal } from './store-each.ts';
import { readServes } from './tally-writer.ts';

const BATCH = 500;

export interface ReplayOptions {
  readonly deadEvents: DeadEvents;
  readonly store: Pick<EventStore, 'append' | 'recordServes'>;
  /** Stores a hit once, to be folded into the ledger. */
  readonly restoreHit: (hit: Hit, shard: number) => Promise<void>;
  /** Hands an event to the sink that refused it. Rejects with SinkRefusal when it refuses it again, or is not configured. */
  readonly toSink: (sink: string, event: StoredEvent) => Promise<void>;
  /** Lists all of them as refused, with the reason they had. */
  readonly dryRun: boolean;
}

export interface Replayed {
  readonly stored: number;
  readonly refused: readonly StoredDeadEvent[];
}

/**
 * Stores dead events again and removes those that Postgres accepts. An event is stored once by its
 * key, so a run that was interrupted can be repeated. Rejects when Postgres is unavailable.
 */
export const replayDeadEvents = async ({ deadEvents, dryRun, ...stores }: ReplayOptions): Promise<Replayed> => {
  const refused: StoredDeadEvent[] = [];
  let stored = 0;
  let afterId = '0';
  for (;;) {
    const batch = await deadEvents.read(afterId, BATCH);
    for (const dead of batch) {
      afterId = dead.id;
      const reason = dryRun ? dead.reason : await refusalOf(dead, stores);
      if (reason !== undefined) refused.push({ ...dead, reason });
      else {
        await deadEvents.remove(dead.id);
        stored++;
      }
    }
    if (batch.length < BATCH) return { stored, refused };
  }
};

type Stores = Pick<ReplayOptions, 'store' | 'restoreHit' | 'toSink'>;

/** Stores it. Resolves to the reason when it cannot be stored; undefined: it is stored. */
const refusalOf = async (dead: StoredDeadEvent, stores: Stores): Promise<string | undefined> => {
  let append: () => Promise<unknown>;
  try {
    append = toAppend(dead, stores);
  } catch (fault) {
    return (fault as Error).message;
  }
  try {
    await append();
    return undefined;
  } catch (fault) {
    if (fault instanceof SinkRefusal) return fault.message;
    const refusal = lastingRefusal(fault);
    if (!refusal) throw fault;
    return refusal.reason;
  }
};

/** @throws when it cannot be read */
const toAppend = ({ source, shard, fields }: StoredDeadEvent, { store, restoreHit, toSink }: Stores): (() => Promise<unknown>) => {
  const [field = '', count = ''] = fields;
  switch (source) {
    case 'serves': {
      const serves = readServes(field, count);
      return () => store.recordServes([serves]);
    }
    case 'hits': {
      const hit = readHit(JSON.parse(field));
      return () => restoreHit(hit, shard);
    }
    case 'events': {
      const event = readEvent(fields);
      return () => store.append([event]);
    }
    default: {
      const event = readEvent(fields);
      return () => toSink(source.slice('sink:'.length), event);
    }
  }
};
