import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { takesFromHold } from '../../ledger/hit.ts';
import type { BooksServer, RebuiltAccount, RebuiltHold } from '../../ledger/books/books-server.ts';
import { byAccount, countEvents, dayOfAccount, isCounted } from '../account-events.ts';
import { createCountStore } from '../postgres/count-store.ts';
import { readSums, type CountedAccount } from '../postgres/counted-accounts.ts';
import { readHolds, type LineItemHold } from '../postgres/open-holds.ts';
import { readPublisherDays, type PublisherDays } from '../postgres/publisher-days.ts';
import type { StoredEvent } from '../postgres/stored-event.ts';
import { createUncounted, type Uncounted } from '../postgres/uncounted.ts';
import { unstoredEvents } from '../unstored-events.ts';

/** Campaigns of a publisher, and whether they are all that it has to count. */
export interface RebuildWish {
  readonly publisherId: number;
  readonly campaigns: readonly number[];
  readonly isWhole: boolean;
}

/** What is asked of one scope. */
export interface RebuildQuestion {
  readonly epoch: string;
  /** Redis's clock, epoch ms. */
  readonly atMs: number;
  readonly wishes: readonly RebuildWish[];
}

/**
 * Rebuilds the accounts of campaigns and of all their line items, those of all shards in the same few questions to Postgres. `busy`:
 * too much of a shard is on its way to Postgres; ask again. `outdated`: another epoch has begun. Rejects when a store is unavailable.
 */
export type RebuildCampaigns = (question: RebuildQuestion) => Promise<'rebuilt' | 'busy' | 'outdated'>;

export interface RebuildCampaignsOptions {
  readonly knex: Knex;
  readonly server: Pick<BooksServer, 'unstored' | 'rebuild'>;
  readonly shardOf: (publisherId: number) => number;
}

/**
 * An account has counted what has event rows, and what the rest of the stream will add to them. It holds what replicas
 * were granted, less what is counted. Nothing changes meanwhile: until its accounts are written, a campaign's hits wait in
 * Postgres and nothing of it is sold. The stream is read before the rows: what leaves it in between has its row.
 */
export const createRebuildCampaigns = ({ knex, server, shardOf }: RebuildCampaignsOptions): RebuildCampaigns => {
  const uncounted = createUncounted();

  /** Of the shards of these wishes, without one of which too much is on its way. */
  const readStreams = async (wishes: readonly RebuildWish[]): Promise<ReadonlyMap<number, readonly (readonly string[])[]>> => {
    const shards = [...new Set(wishes.map(({ publisherId }) => shardOf(publisherId)))];
    const streams = await Promise.all(shards.map(async (shard) => [shard, await server.unstored(shard)] as const));
    return new Map(streams.flatMap(([shard, entries]) => (entries ? [[shard, entries] as const] : [])));
  };

  return async ({ epoch, atMs, wishes: all }) => {
    const streams = await readStreams(all);
    const wishes = all.filter(({ publisherId }) => streams.has(shardOf(publisherId)));
    /** Of the campaigns that are asked for. */
    const shards = new Map(wishes.flatMap((wish) => wish.campaigns.map((id) => [id, shardOf(wish.publisherId)] as const)));
    const publishers = wishes.map(({ publisherId }) => publisherId);
    const read = await knex.transaction(
      async (trx) => {
        const days = await readPublisherDays(trx, atMs, publishers);
        const unstored = await unstoredEvents(
          trx,
          [...streams.values()].flat(),
          (event) => shards.has(event.hit.ad.campaignId) && isCounted(event),
        );
        if (unstored === undefined) return undefined;
        const events = byAccount(unstored);
        const held = [...(await readHolds(trx, shards)), ...(await uncountedHolds(trx, shards, uncounted))];
        const holds = openHolds(held, unstored);
        return { days, events, holds, counted: await countedOn(trx, wishes, days, { events, holds, uncounted }) };
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    if (read === undefined) return 'busy';
    const { days, events, holds, counted } = read;
    const byPublisher = groupBy(counted, ({ publisherId }) => publisherId);
    const written = wishes.map(({ publisherId, campaigns: of, isWhole }) => {
      const own = new Set(of);
      const accounts = (byPublisher.get(publisherId) ?? []).filter(({ kind, id }) => kind === 'l' || own.has(id));
      const rebuilt = accounts.map(({ kind, id, day, sums }): RebuiltAccount => {
        const counts = countEvents(events.get(`${kind}${id}`) ?? [], day, readSums(sums));
        return { kind, id, day, counts, holds: holds.get(`${kind}${id}`) ?? [] };
      });
      return server.rebuild(publisherId, epoch, rebuilt, { isWhole, days: days.rule(publisherId) });
    });
    if ((await Promise.all(written)).includes(false)) return 'outdated';
    return wishes.length < all.length ? 'busy' : 'rebuilt';
  };
};

/** What is known of accounts beside their rows, by their kind and id. */
interface Underway {
  readonly events: ReadonlyMap<string, readonly StoredEvent[]>;
  readonly holds: ReadonlyMap<string, readonly RebuiltHold[]>;
  readonly uncounted: Uncounted;
}

interface DatedAccount extends CountedAccount {
  /** In days since the epoch. */
  readonly day: number;
}

/** What was counted, that of each account by its day: mostly that of its publisher. */
const countedOn = async (
  trx: Knex.Transaction,
  wishes: readonly RebuildWish[],
  { today }: PublisherDays,
  { events, holds, uncounted }: Underway,
): Promise<readonly DatedAccount[]> => {
  const store = createCountStore({ knex: trx, uncounted });
  const counted: DatedAccount[] = [];
  for (const [publishersDay, of] of groupBy(wishes, ({ publisherId }) => today(publisherId))) {
    const campaigns = [...new Set(of.flatMap((wish) => wish.campaigns))];
    const dated = (await store.accounts(publishersDay, campaigns)).map((account) => {
      const name = `${account.kind}${account.id}`;
      const lastHold = (holds.get(name) ?? []).reduce((last, { day }) => Math.max(last, day), publishersDay);
      return { ...account, day: dayOfAccount(lastHold, account.latestDay, events.get(name) ?? []) };
    });
    for (const [day, accounts] of groupBy(dated, (account) => account.day)) {
      const names = new Set(accounts.map(({ kind, id }) => `${kind}${id}`));
      const onDay = day === publishersDay ? accounts : await store.accounts(day, campaigns);
      counted.push(...onDay.filter(({ kind, id }) => names.has(`${kind}${id}`)).map((account) => ({ ...account, day })));
    }
  }
  return counted;
};

/** What rows that are not counted yet take from holds. */
const uncountedHolds = async (
  trx: Knex.Transaction,
  campaigns: Pick<ReadonlyMap<number, unknown>, 'has'>,
  uncounted: Uncounted,
): Promise<readonly LineItemHold[]> =>
  (await uncounted.read(trx)).flatMap(({ lineItemId, campaignId, day, kind, holdEndMs, count, micros }) =>
    holdEndMs === null || !campaigns.has(campaignId)
      ? []
      : [{ lineItemId, campaignId, day, holdEndMs, count: kind === 'impression' ? -count : 0, micros: -micros }],
  );

/** The holds of each account, by its kind and id: those of a campaign are those of its line items. */
const openHolds = (held: readonly LineItemHold[], unstored: readonly StoredEvent[]): ReadonlyMap<string, readonly RebuiltHold[]> => {
  const sums = new Map<string, Map<string, RebuiltHold>>();
  const add = (account: string, hold: RebuiltHold, sign: 1 | -1): void => {
    const of = sums.get(account) ?? new Map<string, RebuiltHold>();
    sums.set(account, of);
    const key = `${hold.holdEndMs} ${hold.day}`;
    const before = of.get(key) ?? { ...hold, count: 0, micros: 0 };
    of.set(key, { ...before, count: before.count + sign * hold.count, micros: before.micros + sign * hold.micros });
  };
  for (const { lineItemId, campaignId, ...hold } of held) for (const account of [`l${lineItemId}`, `c${campaignId}`]) add(account, hold, 1);
  for (const { hit, billedMicros } of unstored) {
    const { ad, kind } = hit;
    if (!takesFromHold(hit)) continue;
    const hold = { holdEndMs: ad.holdEndMs, day: ad.day, count: kind === 'impression' ? 1 : 0, micros: billedMicros };
    for (const account of [`l${ad.lineItemId}`, `c${ad.campaignId}`]) add(account, hold, -1);
  }
  const open = [...sums].map(
    ([account, of]) => [account, [...of.values()].map(atLeastNothing).filter(({ count, micros }) => count > 0 || micros > 0)] as const,
  );
  return new Map(open);
};

/** Of the last second of a replica that has died, only what has its row is known. */
const atLeastNothing = (hold: RebuiltHold): RebuiltHold => ({
  ...{ ...hold, count: Math.max(hold.count, 0), micros: Math.max(hold.micros, 0) },
});
