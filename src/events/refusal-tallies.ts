import { MS_PER_HOUR } from '../base/utc-day.ts';
import { createRefusalTable, type RefusalCount, type RefusalTable } from './refusal-table.ts';
import type { RefusalStore } from './postgres/refusal-store.ts';

export interface RefusalTalliesOptions {
  readonly store: RefusalStore;
  readonly now?: () => number;
  readonly onFailure: (fault: Error) => void;
}

const TICK_MS = 10_000;
/** More rows than this are stored once a minute: thousands of line items have tens of thousands. */
const MAX_PROMPT_ROWS = 1_000;
const MAX_WAIT_MS = 60_000;
/** 1.2 MB, a line item's rows in one of the tables. Further line items are not counted until the next batch. */
const TABLES = 16;
const ROWS_A_TABLE = 2_048;
/** Hours. Older ones are dropped while Postgres is away for longer. */
const MAX_BATCHES = 24;
/** Line items named as those that outranked another; the rest are added up. */
const MAX_RIVALS = 8;

interface Batch {
  readonly hourMs: number;
  /** Those that are not stored yet. */
  readonly tables: RefusalTable[];
}

/**
 * Counts in memory why line items were not shown, and adds the counts to Postgres in batches. A batch is sent until Postgres accepts it,
 * some tables at a time, because tens of thousands of rows would hold the event loop: tables whose answer was lost are added twice. A
 * replica that is killed loses what it counted since the last batch.
 */
export const createRefusalTallies = ({ store, now = Date.now, onFailure }: RefusalTalliesOptions) => {
  let tables = emptyTables();
  const size = (): number => sizeOf(tables);
  let hourMs = 0;
  let storedAtMs = now();
  let prunedAtMs = 0;
  let isFull = false;
  const waiting: Batch[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const seal = (): void => {
    if (size() > 0) {
      waiting.push({ hourMs, tables: tables.filter((table) => table.size > 0) });
      tables = emptyTables();
    }
    isFull = false;
    if (waiting.length <= MAX_BATCHES) return;
    waiting.shift();
    onFailure(new Error('counts of refusals were dropped: Postgres has been away for a day'));
  };

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) seal();
    storedAtMs = now();
    for (let batch = waiting[0]; batch; batch = waiting[0]) {
      while (batch.tables.length > 0) {
        const some = firstOf(batch.tables);
        await store.add(batch.hourMs, withFewRivals(some.flatMap((table) => table.rows())));
        batch.tables.splice(0, some.length);
      }
      // While Postgres is away for a day, the first batch is dropped.
      if (waiting[0] === batch) waiting.shift();
    }
    if (storedAtMs - prunedAtMs < MS_PER_HOUR) return;
    await store.prune(storedAtMs);
    prunedAtMs = storedAtMs;
  };
  const run = (): Promise<void> => (running ??= flush().finally(() => (running = undefined)));
  const isDue = (): boolean => size() <= MAX_PROMPT_ROWS || now() - storedAtMs >= MAX_WAIT_MS;

  return {
    /** Counts impressions that a line item did not get. Neither allocates nor waits. */
    add: (atMs: number, lineItemId: number, reason: number, outrankedBy: number, impressions: number): void => {
      const atHourMs = atMs - (atMs % MS_PER_HOUR);
      // A request that began before the hour may be decided in it.
      if (atHourMs > hourMs) {
        seal();
        hourMs = atHourMs;
      }
      if (tables[lineItemId % TABLES]!.add(lineItemId, reason, outrankedBy, impressions) || isFull) return;
      isFull = true;
      onFailure(new Error(`more than ${size()} different refusals were counted since the last batch`));
    },
    /** Stores what was counted so far. Rejects when Postgres is away; the counts stay. */
    flush: run,
    start: (): void => {
      timer ??= setInterval(() => isDue() && void run().catch(onFailure), TICK_MS);
    },
    /** Resolves after a last attempt to store what was counted. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running?.catch(() => undefined);
      await run().catch(onFailure);
    },
  };
};

const emptyTables = (): RefusalTable[] => Array.from({ length: TABLES }, () => createRefusalTable(ROWS_A_TABLE));

const sizeOf = (tables: readonly RefusalTable[]): number => tables.reduce((sum, { size }) => sum + size, 0);

/** Those that are stored in one statement: one at least, and not many rows. */
const firstOf = (tables: readonly RefusalTable[]): readonly RefusalTable[] => {
  const count = tables.findIndex((_, i) => sizeOf(tables.slice(0, i + 1)) > ROWS_A_TABLE);
  return count < 0 ? tables : tables.slice(0, Math.max(count, 1));
};

/** Of the line items that outranked one, those that did so most often. */
const withFewRivals = (counts: readonly RefusalCount[]): readonly RefusalCount[] => {
  const kept: RefusalCount[] = [];
  const rivals = new Map<number, number>();
  const others = new Map<number, number>();
  for (const count of [...counts].sort((a, b) => b.impressions - a.impressions)) {
    const { lineItemId, outrankedBy, impressions } = count;
    const before = rivals.get(lineItemId) ?? 0;
    if (outrankedBy > 0) rivals.set(lineItemId, before + 1);
    if (outrankedBy === 0 || before < MAX_RIVALS) kept.push(count);
    else others.set(lineItemId, (others.get(lineItemId) ?? 0) + impressions);
  }
  for (const [lineItemId, impressions] of others) kept.push({ lineItemId, reason: 0, outrankedBy: 0, impressions });
  return kept;
};
