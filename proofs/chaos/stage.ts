import { createSequences, type Sequences } from './check-sequences.ts';
import { createShownPages, type ShownPages } from './check-pages.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createBookedChecks, type BookedChecks } from './check-booked.ts';
import { createKeptAds, type KeptAds } from './kept-ads.ts';
import { createCatalogRows, type BookedRows, type CatalogRows } from './catalog-rows.ts';
import type { Lane } from './lane.ts';
import { createModel, type Model } from './model.ts';
import { createMonthBooks, type MonthBooks } from './month-books.ts';
import { createOperator, type Operator } from './operator.ts';
import { createPoison, type Poison } from './poison.ts';
import { holdSlackMs, MAX_SKEW_MS, RELEASE_MARGIN_MS } from './rules.ts';
import { FIRST_SETTINGS } from './replica.ts';
import type { Loss, Settings, Story } from './story.ts';
import { createSystem, SHARDS, type System } from './system.ts';
import { MS_PER_HOUR } from '../../src/base/utc-day.ts';

/** Everything that a story plays with: the stores, the replicas, the clocks, what is broken, and the model. */
export interface Stage {
  readonly lane: Lane;
  readonly story: Story;
  readonly rows: CatalogRows;
  readonly system: System;
  readonly operator: Operator;
  readonly poison: Poison;
  readonly model: Model;
  readonly months: MonthBooks;
  readonly publishers: readonly number[];
  /** What each step came to, in words. */
  readonly notes: Map<number, string>;
  /** By replica. */
  readonly ttlsMs: number[];
  readonly settings: Settings[];
  /** Of the story so far. */
  readonly pages: ShownPages;
  readonly keptAds: KeptAds;
  readonly bookedChecks: BookedChecks;
  /** The rows that each replica has. */
  readonly booked: { readonly rows: BookedRows; readonly edition: number }[];
  readonly sequences: Sequences;
  readonly redisDown: boolean[];
  postgresUp: boolean;
  isFolding: boolean;
  /** The networks on the list of data centers. */
  listed: ReadonlySet<string>;
  /** Stored hits that were filtered, or restored, by another list. */
  rejudged: { filtered: number; restored: number };
  /** True time of the last step that carried events and tallies. */
  carriedAtMs: number;
  /** Serves may be missing: tallied for so long without being carried that the tally expired, or reported by a call that never ran. */
  servesMayBeMissing: boolean;
  /** Time as everybody but Redis has it. */
  readonly trueMs: number;
  readonly redisMs: number;
  /** Sets true time, and how far Redis's clock is from it. */
  setClocks(trueMs: number, skewMs?: number): Promise<void>;
  /** Replicas load the catalog as it is. */
  load(replicas: readonly number[]): Promise<void>;
  /** A new process in the place of a replica, with its settings as they are now. */
  restart(replica: number): void;
  /** Redis loses data, if the story is one in which it may. */
  lose(how: Loss): Promise<void>;
  /** Accounts are rebuilt, if Redis has lost data and both stores are available. */
  recover(): Promise<void>;
  losses: number;
  /** Redis has lost data, and accounts are not rebuilt. */
  isLost: boolean;
  /** Hits of ads from before this go to Postgres alone, by Redis's clock. */
  knownFromMs: number;
  /** Ends the faults of one step, but not those that last. */
  resetStores(): void;
  /** A publisher may hold what no replica knows of, from a call whose reply was lost; `open`: it has not run yet. */
  doubt(publisherId: number, open: boolean): void;
  /** All calls under way have run. */
  settleDoubts(): void;
  /** 0: no such holds. By Redis's clock and the fold horizon. */
  doubtfulUntilMs(publisherId: number): number;
  readonly anyDoubt: boolean;
}

/** An ad of the moment in which an epoch began may be older than it, by the clock of its replica, too. */
const CLOCKS_MS = 2_000 + MAX_SKEW_MS;
/** Longer than Redis's clock may be behind. */
const LOST_MS = 2_000;
export const MAX_TTL_MS = 12 * MS_PER_HOUR;

export const setStage = async (lane: Lane, story: Story): Promise<Stage> => {
  const { world } = story;
  await lane.clear();
  await lane.setClocks(world.startMs, world.startMs);
  let trueMs = world.startMs;
  let redisMs = trueMs;
  const rows = createCatalogRows(world);
  const model = createModel();
  const first = await rows.snapshot(trueMs);
  const keys = createLedgerKeys(SHARDS);
  const operator = createOperator(lane, keys, () => trueMs);
  await operator.book(world);
  const poison = createPoison(lane, keys);
  const system = await createSystem({
    lane,
    world,
    nowMs: () => trueMs,
    snapshot: first,
    isDamaged: ({ publisherId, lineItemId, campaignId }) =>
      operator.isDamaged({ publisherId, kind: 'l', id: lineItemId }) || operator.isDamaged({ publisherId, kind: 'c', id: campaignId }),
    isPoison: poison.isPoison,
  });
  const doubts = new Map<number, number>();
  const endOfHold = (): number => redisMs + MAX_TTL_MS + holdSlackMs(MAX_TTL_MS) + RELEASE_MARGIN_MS;
  const redisDown = world.replicas.map(() => false);
  model.note(first);
  let edition = 0;
  const stage: Stage = {
    lane,
    story,
    rows,
    system,
    operator,
    poison,
    model,
    months: createMonthBooks(lane, world),
    pages: createShownPages(world.rows),
    keptAds: createKeptAds(model),
    bookedChecks: createBookedChecks(),
    booked: world.replicas.map(() => ({ rows: rows.booked(), edition: 0 })),
    sequences: createSequences(model, system.horizonMs),
    publishers: world.rows.publishers.map(({ id }) => id as number),
    notes: new Map(),
    ttlsMs: world.replicas.map(({ ttlMs }) => ttlMs),
    settings: world.replicas.map(() => FIRST_SETTINGS),
    redisDown,
    postgresUp: true,
    isFolding: true,
    listed: new Set(),
    rejudged: { filtered: 0, restored: 0 },
    carriedAtMs: trueMs,
    servesMayBeMissing: false,
    get trueMs() {
      return trueMs;
    },
    get redisMs() {
      return redisMs;
    },
    setClocks: async (toMs, skewMs = 0) => {
      trueMs = toMs;
      redisMs = toMs + skewMs;
      await lane.setClocks(redisMs, trueMs);
    },
    load: async (replicas) => {
      const snapshot = await rows.snapshot(trueMs);
      model.note(snapshot);
      const booked = { rows: rows.booked(), edition: ++edition };
      for (const n of replicas) {
        system.setSnapshot(n, snapshot);
        stage.booked[n] = booked;
      }
    },
    restart: (n) => system.restart(n, stage.ttlsMs[n] ?? 0, stage.settings[n] ?? FIRST_SETTINGS),
    losses: 0,
    isLost: false,
    knownFromMs: 0,
    lose: async (how) => {
      if (!world.mayLose) return;
      const { kept, gone } = await system.lose(how);
      model.lose({ kept, gone, forgets: how !== 'restart' });
      stage.losses++;
      stage.isLost = true;
      stage.knownFromMs = Infinity;
      stage.servesMayBeMissing = true;
      // Ids of the streams begin anew: after those that were read.
      stage.pages.forget();
      stage.keptAds.forget();
      await stage.setClocks(trueMs + LOST_MS);
    },
    recover: async () => {
      if (!stage.isLost || !stage.postgresUp || redisDown.includes(true)) return;
      await system.recover();
      model.beginEpoch();
      stage.isLost = false;
      stage.knownFromMs = redisMs + CLOCKS_MS;
    },
    resetStores: () => {
      lane.replicas.forEach((client, n) => client.setMode(redisDown[n] ? 'down' : 'up'));
      system.setPostgres(stage.postgresUp ? 'up' : 'down');
    },
    doubt: (publisherId, open) => {
      doubts.set(publisherId, Math.max(doubts.get(publisherId) ?? 0, open ? Infinity : endOfHold()));
    },
    settleDoubts: () => {
      for (const [publisherId, untilMs] of doubts) if (untilMs === Infinity) doubts.set(publisherId, endOfHold());
    },
    doubtfulUntilMs: (publisherId) => doubts.get(publisherId) ?? 0,
    get anyDoubt() {
      return doubts.size > 0;
    },
  };
  return stage;
};
