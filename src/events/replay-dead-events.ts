import type { DeadEvents, StoredDeadEvent } from './postgres/dead-events.ts';
import type { EventStore } from './postgres/event-store.ts';
import { readEvent } from './read-event.ts';
import { lastingRefusal } from './store-each.ts';
import { readServes } from './tally-writer.ts';

const BATCH = 500;

export interface ReplayOptions {
  readonly deadEvents: DeadEvents;
  readonly store: Pick<EventStore, 'append' | 'recordServes'>;
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
export const replayDeadEvents = async ({ deadEvents, store, dryRun }: ReplayOptions): Promise<Replayed> => {
  const refused: StoredDeadEvent[] = [];
  let stored = 0;
  let afterId = '0';
  for (;;) {
    const batch = await deadEvents.read(afterId, BATCH);
    for (const dead of batch) {
      afterId = dead.id;
      const reason = dryRun ? dead.reason : await refusalOf(dead, store);
      if (reason !== undefined) refused.push({ ...dead, reason });
      else {
        await deadEvents.remove(dead.id);
        stored++;
      }
    }
    if (batch.length < BATCH) return { stored, refused };
  }
};

/** Stores it. Resolves to the reason when it cannot be stored; undefined: it is stored. */
const refusalOf = async (dead: StoredDeadEvent, store: ReplayOptions['store']): Promise<string | undefined> => {
  let append: () => Promise<unknown>;
  try {
    append = toAppend(dead, store);
  } catch (fault) {
    return (fault as Error).message;
  }
  try {
    await append();
    return undefined;
  } catch (fault) {
    const refusal = lastingRefusal(fault);
    if (!refusal) throw fault;
    return refusal.reason;
  }
};

/** @throws when it cannot be read */
const toAppend = ({ source, fields }: StoredDeadEvent, store: ReplayOptions['store']): (() => Promise<unknown>) => {
  const [field = '', count = ''] = fields;
  if (source === 'serves') {
    const serves = readServes(field, count);
    return () => store.recordServes([serves]);
  }
  const event = readEvent(fields);
  return () => store.append([event]);
};
