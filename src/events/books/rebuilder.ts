import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { groupBy } from '../../base/group-by.ts';
import type { BooksServer } from '../../ledger/books/books-server.ts';
import { BEFORE_FIRST, type BookStore, type CampaignName } from '../postgres/book-store.ts';
import { createAskedCampaigns, type Asked } from './asked-campaigns.ts';
import type { BookKeeper } from './book-keeper.ts';
import type { RebuildCampaigns, RebuildWish } from './rebuild-campaigns.ts';

export interface RebuilderOptions {
  readonly keeper: BookKeeper;
  readonly store: BookStore;
  readonly server: Pick<BooksServer, 'look' | 'complete' | 'missingOf' | 'claim'>;
  readonly rebuildCampaigns: RebuildCampaigns;
  readonly scopes: number;
  readonly scopeOf: (publisherId: number) => number;
  /** The clock of the Redis that has a publisher, epoch ms. */
  readonly now: (publisherId: number) => number;
  /** All accounts of a scope are rebuilt, by this replica. */
  readonly onRebuilt: (scope: number, tookMs: number) => void;
  readonly onFailure: (fault: Error) => void;
}

/** Campaigns of one step: some tens of milliseconds. */
const MAX_CAMPAIGNS = 50;
/** Each holds a connection to Postgres with its lock, beside those that it reads with. */
const MAX_WALKS = 2;
const GATHER_MS = 5;
/** What is asked for is rebuilt in steps of about this time, so that the first ads do not wait for the last ones. */
const STEP_MS = 40;
const FIRST_STEP = 4;
const AGAIN_MS = 50;
const YIELD_MS = 500;
/** Other replicas learn of an epoch, and write what they were granted, in some milliseconds. */
const READY_MS = 10;
const FAILED_MS = 500;

/**
 * Rebuilds accounts after Redis has lost data: those that requests ask for first, by any replica; and all of a scope, by one.
 * Accounts are written once, so several replicas may rebuild the same. Each takes publishers in an order by chance and leaves out
 * what is there, so that replicas share the work without a lock.
 */
export const createRebuilder = (options: RebuilderOptions) => {
  const { keeper, store, server, rebuildCampaigns, scopes, scopeOf, now, onRebuilt, onFailure } = options;
  const asked = Array.from({ length: scopes }, () => createAskedCampaigns(server));
  const answering = new Set<number>();
  const walking = new Set<number>();
  /** The epoch before which this replica has written what it was granted, and that before which all have. */
  const written = new Map<number, string>();
  const flushed = new Map<number, string>();
  const stopped = new AbortController();
  const walks = new PQueue({ concurrency: MAX_WALKS });
  const tasks = new Set<Promise<void>>();

  const rest = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
  const run = (work: () => Promise<void>): void => {
    const task = work()
      .catch((fault: unknown) => onFailure(fault as Error))
      .finally(() => tasks.delete(task));
    tasks.add(task);
  };

  /** Whether the content is of the epoch that this replica knows, and what replicas were granted and have stored before is in Postgres. */
  const isReady = async (scope: number): Promise<boolean> => {
    const { epoch, trusted } = await server.look(scope);
    const before = keeper.epochOf(scope);
    if (epoch !== before || trusted !== before) await keeper.verify(scope);
    const own = keeper.epochOf(scope);
    if (flushed.get(scope) === own) return true;
    if (written.get(scope) !== own) {
      await keeper.noted(scope);
      await keeper.beat();
      written.set(scope, own);
    }
    if (!(await store.isFlushed(scope, own))) return false;
    await store.untilStored();
    flushed.set(scope, own);
    return true;
  };

  const rebuild = async (scope: number, wishes: readonly RebuildWish[]): Promise<boolean> =>
    wishes.length === 0 ||
    (await rebuildCampaigns({ epoch: keeper.epochOf(scope), atMs: now(wishes[0]!.publisherId), wishes })) === 'rebuilt';

  /** What is to be rebuilt of what is asked for. Once all of a scope is, a publisher whose accounts are not there is rebuilt whole. */
  const wishesOf = async (scope: number, taken: Asked): Promise<readonly RebuildWish[]> => {
    const [missing, campaignsOfAll] = await Promise.all([
      asked[scope]!.missingOf(taken, keeper.epochOf(scope)),
      store.campaignsOf([...taken.keys()]),
    ]);
    const all = groupBy(campaignsOfAll, ({ publisherId }) => publisherId);
    return [...missing].flatMap(([publisherId, campaigns]) => {
      const known = (all.get(publisherId) ?? []).map(({ id }) => id);
      const isWhole = keeper.stateOf(scope) === 'open' || known.length === 0;
      return isWhole ? inSteps(publisherId, known) : [{ publisherId, campaigns, isWhole }];
    });
  };

  const answer = async (scope: number): Promise<void> => {
    await rest(GATHER_MS);
    for (let count = FIRST_STEP; !asked[scope]!.isEmpty();) {
      await untilReady(scope);
      if (stopped.signal.aborted) return;
      const begunMs = performance.now();
      const taken = asked[scope]!.take(count);
      const wishes = await wishesOf(scope, taken);
      // A wish of many campaigns is several of one publisher: one after the other.
      for (const step of stepsOf(wishes)) {
        if (await rebuild(scope, step)) continue;
        for (const [publisherId, campaigns] of taken) asked[scope]!.add(publisherId, campaigns);
        await rest(AGAIN_MS);
        break;
      }
      count = performance.now() - begunMs < STEP_MS ? Math.min(2 * count, MAX_CAMPAIGNS) : Math.max(Math.floor(count / 2), 1);
    }
  };

  const refused = (publisherId: number, campaignId: number): void => {
    if (stopped.signal.aborted) return;
    const scope = scopeOf(publisherId);
    asked[scope]!.add(publisherId, [campaignId]);
    if (answering.has(scope)) return;
    answering.add(scope);
    run(async () => {
      try {
        await answer(scope);
      } catch (fault) {
        await rest(FAILED_MS);
        throw fault;
      } finally {
        answering.delete(scope);
      }
    });
  };

  const untilReady = async (scope: number): Promise<void> => {
    for (let tries = 1; !stopped.signal.aborted && !(await isReady(scope)); tries++) await rest(Math.min(tries * READY_MS, AGAIN_MS));
  };

  /** What is asked for is rebuilt before what is not; what is asked for all the time does not keep the rest for long. */
  const untilAnswered = async (scope: number): Promise<void> => {
    const untilMs = performance.now() + YIELD_MS;
    while (!stopped.signal.aborted && answering.has(scope) && performance.now() < untilMs) await rest(GATHER_MS);
  };

  /** All campaigns of a scope: those in flight first, the others so that one that is prolonged does not begin at nothing. */
  const walk = async (scope: number, checkLock: () => Promise<void>): Promise<void> => {
    const begunMs = performance.now();
    const epoch = keeper.epochOf(scope);
    await untilReady(scope);
    const begun = new Set<number>();
    /** Resolves to false when another epoch has begun, or the replica stops. */
    const step = async (wishes: readonly RebuildWish[]): Promise<boolean> => {
      for (;;) {
        await untilAnswered(scope);
        const isRebuilt = await rebuild(
          scope,
          wishes.filter(({ campaigns, isWhole }) => isWhole || campaigns.length > 0),
        );
        await checkLock();
        if (stopped.signal.aborted || keeper.epochOf(scope) !== epoch) return false;
        if (isRebuilt) return true;
        await rest(AGAIN_MS);
      }
    };
    for (const live of [true, false]) {
      for (let after: number | undefined = BEFORE_FIRST; after !== undefined;) {
        const page: readonly CampaignName[] = await store.campaigns({ live, after, limit: MAX_CAMPAIGNS });
        const own = page.filter(({ publisherId }) => scopeOf(publisherId) === scope);
        const byPublisher = groupBy(own, ({ publisherId }) => publisherId);
        const missing = [...byPublisher].map(async ([publisherId, campaigns]) => {
          const ids = campaigns.map(({ id }) => id);
          return { publisherId, campaigns: await server.missingOf(publisherId, ids, epoch), isWhole: false };
        });
        if (!(await step(await Promise.all(missing)))) return;
        for (const publisherId of byPublisher.keys()) begun.add(publisherId);
        after = page.length < MAX_CAMPAIGNS ? undefined : page.at(-1)?.id;
      }
    }
    const whole = [...begun].map((publisherId) => ({ publisherId, campaigns: [], isWhole: true }));
    for (let from = 0; from < whole.length; from += MAX_CAMPAIGNS) if (!(await step(whole.slice(from, from + MAX_CAMPAIGNS)))) return;
    await server.complete(scope, epoch);
    if (await store.completeEpoch(scope, epoch)) onRebuilt(scope, performance.now() - begunMs);
    await keeper.beat();
  };

  const learned = (scope: number): void => {
    if (walking.has(scope) || stopped.signal.aborted || keeper.stateOf(scope) !== 'rebuilding') return;
    walking.add(scope);
    run(() => walks.add(() => store.underRebuildLock(scope, (checkLock) => walk(scope, checkLock))).finally(() => walking.delete(scope)));
  };

  return {
    start: (): void => {
      keeper.onRefused = refused;
      keeper.onLearned = learned;
    },
    stop: async (): Promise<void> => {
      stopped.abort();
      await Promise.allSettled(tasks);
    },
  };
};

/** The campaigns of a publisher in steps, of which the last makes it whole. */
const inSteps = (publisherId: number, campaigns: readonly number[]): readonly RebuildWish[] => {
  const count = Math.max(Math.ceil(campaigns.length / MAX_CAMPAIGNS), 1);
  return Array.from({ length: count }, (_, i) => ({
    publisherId,
    campaigns: campaigns.slice(i * MAX_CAMPAIGNS, (i + 1) * MAX_CAMPAIGNS),
    isWhole: i === count - 1,
  }));
};

/** Wishes that are asked together, at most one of a publisher. */
const stepsOf = (wishes: readonly RebuildWish[]): readonly (readonly RebuildWish[])[] => {
  const steps: RebuildWish[][] = [];
  const taken = new Map<number, number>();
  for (const wish of wishes) {
    const at = taken.get(wish.publisherId) ?? 0;
    taken.set(wish.publisherId, at + 1);
    (steps[at] ??= []).push(wish);
  }
  return steps;
};
