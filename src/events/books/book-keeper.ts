import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { createRunningWork } from '../../base/running-work.ts';
import type { BooksState } from '../../ledger/books/books-server.ts';
import { createHoldJournal } from '../../ledger/books/hold-journal.ts';
import type { LedgerBooks } from '../../ledger/books/ledger-books.ts';
import { hitOfText } from '../../ledger/hit-text.ts';
import type { Hit } from '../../ledger/hit.ts';
import type { BookEpoch } from '../postgres/book-store.ts';
import { createRecentHits, type RecentHits } from './recent-hits.ts';
import { createVerifyEpoch, type VerifyEpochOptions } from './verify-epoch.ts';

export interface BookKeeperOptions extends VerifyEpochOptions {
  readonly scopes: number;
  readonly scopeOf: (publisherId: number) => number;
  /** How long an ad request waits for Redis: what it is granted later is given back. */
  readonly patienceMs: number;
  /** Whether Redis answers for a scope. */
  readonly isUp: (scope: number) => boolean;
  /** Stores hits in Postgres, from which they are settled again, each once. */
  readonly restoreHits: (hits: readonly Hit[]) => Promise<void>;
  /** An epoch has begun here; not for a new installation. */
  readonly onBegun: (epoch: BookEpoch) => void;
  readonly onFailure: (fault: Error) => void;
}

/** What this replica knows of a scope. */
interface KnownScope {
  epoch: string;
  state: BooksState;
  openedMs: number;
  /** What was granted in earlier epochs is noted here, and the events that this replica has read are stored. */
  isNoted: boolean;
  noted: Promise<void>;
  readonly recent: RecentHits;
}

/** Keeps the epoch of each scope, and writes what this replica was granted to Postgres. */
export interface BookKeeper extends LedgerBooks {
  /** Finds or begins the epoch of each scope that answers, and goes on looking. Rejects when a store is unavailable. */
  start(): Promise<void>;
  stop(): Promise<void>;
  stateOf(scope: number): BooksState;
  /** Until when ads are older than the epoch, epoch ms by Redis's clock; 0: nothing was lost. */
  sinceMs(scope: number): number;
  /** Scopes whose accounts are being rebuilt. */
  readonly rebuilding: number;
  /** Looks at the content of a scope now, and writes what was granted before the epoch that it finds. Never rejects. */
  lookNow(scope: number): Promise<void>;
  /** Looks at the content of a scope now, and begins another epoch if it must. Rejects when a store is unavailable. */
  verify(scope: number): Promise<void>;
  /** Resolves when what was granted before the epoch of a scope is noted, for the next beat to write, and what was read is stored. */
  noted(scope: number): Promise<void>;
  /** Writes to Postgres now. Rejects when it is unavailable. */
  beat(): Promise<void>;
  /**
   * Events are being carried from the stream into rows. Rows of those that an earlier content had must be there before accounts are rebuilt:
   * those that came later would be counted by nothing, because a hit that is settled again is taken for counted when it has its row.
   *
   * @param hurry ends what they need not wait for
   */
  carrying(carried: Promise<unknown>, hurry?: () => void): void;
  /** Called for accounts that are to be rebuilt, as `refused`. */
  onRefused: (publisherId: number, campaignId: number) => void;
  /** Called while Postgres is behind Redis. */
  onBehind: () => void;
  /** Called when this replica learns of an epoch. */
  onLearned: (scope: number) => void;
}

const BEAT_MS = 1_000;
/** Scopes whose content is looked at in one beat, in turn: a cluster has up to 256. */
const MAX_LOOKS = 16;
/** An answer that comes as patience ends is noted in this time. */
const NOTING_MS = 50;
/** Clocks of two servers, and of a replica that estimates them. */
const CLOCKS_MS = 2_000;
/** Each scope that is verified uses a connection to Postgres. */
const MAX_AT_ONCE = 3;
const PRUNE_BEATS = 600;
/** No content has this epoch. */
const UNKNOWN = 'unknown';

export const createBookKeeper = (options: BookKeeperOptions): BookKeeper => {
  const { store, server, scopes, scopeOf, patienceMs, isUp, restoreHits, onBegun, onFailure } = options;
  const verifyEpoch = createVerifyEpoch(options);
  const replica = randomUUID();
  const holds = createHoldJournal();
  const known: readonly KnownScope[] = Array.from({ length: scopes }, () => ({
    ...{ epoch: UNKNOWN, state: 'rebuilding' as const, openedMs: 0, isNoted: false, noted: Promise.resolve(), recent: createRecentHits() },
  }));
  /** Calls whose answers may grant something. */
  const granting = createRunningWork();
  const carrying = createRunningWork();
  const verifying = new Map<number, Promise<void>>();
  const queue = new PQueue({ concurrency: MAX_AT_ONCE });
  const stopped = new AbortController();
  let beats = 0;
  /** The latest moment of Postgres that Redis, or this replica, knows. */
  let markMs = 0;
  let wasBehind = false;
  let running: Promise<void> | undefined;
  let beating = Promise.resolve();

  const recentOf = ({ ad }: Hit): RecentHits => known[scopeOf(ad.publisherId)]!.recent;

  /** Hits that the stream of the earlier content had, and that may have no row. */
  const restore = (scope: number): void => {
    const lost = known[scope]!.recent.list().map(hitOfText);
    if (lost.length > 0) restoreHits(lost).catch(onFailure);
  };

  /** Resolves when the calls that are under way have their answers, or these come too late. */
  const untilAnswered = async (): Promise<void> => {
    await Promise.race([granting.ended(), sleep(patienceMs + NOTING_MS, undefined, { ref: false })]);
  };

  const learn = (row: BookEpoch): void => {
    const scope = known[row.scope];
    if (!scope) return;
    if (scope.epoch !== row.epoch) {
      scope.isNoted = scope.epoch === UNKNOWN;
      if (!scope.isNoted) {
        restore(row.scope);
        scope.noted = Promise.all([untilAnswered(), carrying.ended()]).then(() => {
          if (scope.epoch === row.epoch) scope.isNoted = true;
        });
      }
      scope.epoch = row.epoch;
      scope.openedMs = row.openedMs;
    }
    const isNews = scope.state !== row.state;
    scope.state = row.state;
    if (isNews || row.state === 'rebuilding') keeper.onLearned(row.scope);
    if (row.behind) keeper.onBehind();
  };

  const beatOnce = async (): Promise<void> => {
    const noted = known.flatMap(({ epoch, isNoted }, scope) => (isNoted ? [[scope, epoch] as const] : []));
    const changes = holds.take();
    try {
      const { epochs, atMs, beforeMs } = await store.beat(replica, Object.fromEntries(noted), changes, { markMs, wasBehind });
      wasBehind = beforeMs < markMs;
      markMs = Math.max(markMs, Math.floor(atMs));
      epochs.forEach(learn);
    } catch (fault) {
      holds.putBack(changes);
      throw fault;
    }
  };

  /**
   * One after the other: a beat that says that this replica knows an epoch must not overtake the one that writes what it was
   * granted before.
   */
  const beat = (): Promise<void> => {
    beating = beating.then(beatOnce, beatOnce);
    return beating;
  };

  const verifyOnce = async (scope: number): Promise<void> => {
    const verified = await verifyEpoch(scope, stopped.signal);
    if (!verified) return;
    learn(verified.row);
    if (verified.isNew) onBegun(verified.row);
  };

  const verify = (scope: number): Promise<void> => {
    let under = verifying.get(scope);
    if (!under) {
      under = queue.add(() => verifyOnce(scope)).finally(() => verifying.delete(scope));
      verifying.set(scope, under);
    }
    return under;
  };

  /** Scopes in turn. */
  const dueScopes = (): readonly number[] => {
    const count = Math.min(scopes, MAX_LOOKS);
    return Array.from({ length: count }, (_, i) => (beats * count + i) % scopes).filter(isUp);
  };

  /** Resolves to whether the content is the one that this replica knew. */
  const look = async (scope: number): Promise<boolean> => {
    const { epoch, trusted, markMs: ofContent } = await server.look(scope);
    markMs = Math.max(markMs, ofContent);
    const isKnown = [epoch, trusted].every((one) => one === known[scope]!.epoch);
    if (!isKnown) await verify(scope);
    return isKnown;
  };

  const reported = <T>(work: Promise<T>): Promise<T | void> => work.catch((fault: unknown) => onFailure(fault as Error));

  const loop = async (): Promise<void> => {
    for (;;) {
      await sleep(BEAT_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      const due = dueScopes();
      // Other replicas wait for the beat, which must not wait for a Redis that hangs.
      const [, ...found] = await Promise.all([reported(beat()), ...due.map((scope) => reported(look(scope)))]);
      const lacking = new Set(due.filter((_, i) => !found[i]));
      known.forEach(({ recent }, scope) => recent.beat(isUp(scope) && !lacking.has(scope)));
      await Promise.all(due.map((scope) => reported(server.mark(scope, known[scope]!.epoch, markMs))));
      if (++beats % PRUNE_BEATS === 0) await reported(store.prune());
    }
  };

  const keeper: BookKeeper = {
    holds,
    epochOf: (scope) => known[scope]!.epoch,
    isOlder: (scope, servedAtMs) => servedAtMs < keeper.sinceMs(scope),
    sinceMs: (scope) => {
      const { openedMs } = known[scope]!;
      return openedMs > 0 ? openedMs + CLOCKS_MS : 0;
    },
    refused: (publisherId, campaignId) => keeper.onRefused(publisherId, campaignId),
    settled: (hit, text) => recentOf(hit).note(text),
    settledBefore: (hit, text) => recentOf(hit).noteOnce(`${hit.ad.tokenId} ${hit.kind} ${hit.eventType}`, text),
    granting: granting.add,
    carrying: carrying.add,
    start: async () => {
      running ??= loop();
      await Promise.all(known.map((_, scope) => (isUp(scope) ? verify(scope) : Promise.resolve())));
      await beat();
    },
    stop: async () => {
      stopped.abort();
      await running;
      await reported(beat().then(() => store.leave(replica)));
    },
    stateOf: (scope) => known[scope]!.state,
    get rebuilding() {
      return known.filter(({ state }) => state === 'rebuilding').length;
    },
    lookNow: async (scope) => {
      if (!isUp(scope)) return;
      await reported(look(scope));
      await known[scope]!.noted;
      await reported(beat());
    },
    verify,
    noted: (scope) => known[scope]!.noted,
    beat,
    onBehind: () => undefined,
    onRefused: () => undefined,
    onLearned: () => undefined,
  };
  return keeper;
};
