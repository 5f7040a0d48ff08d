import type { Knex } from 'knex';
import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isLive } from '../../decision/rules.ts';
import type { RefusalStore } from '../../events/postgres/refusal-store.ts';
import type { Account } from '../../ledger/read/read-accounts.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import { goalCourses, type GoalCourse } from '../insight/goal-course.ts';
import { creativeObstacles, loadedLineItem, whyNotLoaded, type LoadedLineItem } from '../insight/loaded-line-item.ts';
import { candidateForNewUser, type CountersSource } from '../insight/read-counters.ts';
import { campaignStatus } from './campaign-status.ts';
import { listedDelivery, NOTHING_DELIVERED, storedCounts, type ListedDelivery } from './listed-delivery.ts';
import { lineItemStatus, NO_REFUSALS, plainStatus, type LineItemStatus } from './line-item-status.ts';

export interface ReadStatusesOptions {
  readonly knex: Knex;
  readonly counters: CountersSource;
  readonly refusalStore: Pick<RefusalStore, 'recent'>;
  readonly currentSnapshot: () => Snapshot | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The statuses of line items or campaigns, by id. Rejects when Postgres is away. */
export type ReadStatuses = (ids: readonly number[]) => Promise<ReadonlyMap<number, LineItemStatus>>;

/** What lists show of a line item beside its record. */
export interface ListedLineItem {
  readonly status: LineItemStatus;
  readonly delivery: ListedDelivery;
}

/** One query of each kind and one call of Redis for the line items of a publisher. */
export type ReadListed = (ids: readonly number[]) => Promise<ReadonlyMap<number, ListedLineItem>>;

/** Line items of one call of Redis: 5 ms at most. */
const MAX_PER_CALL = 200;

export const createReadStatuses = (options: ReadStatusesOptions): ReadStatuses => {
  const readListed = createReadListed(options);
  return async (ids) => new Map(Array.from(await readListed(ids), ([id, { status }]) => [id, status]));
};

export const createReadListed = (options: ReadStatusesOptions): ReadListed => {
  const { knex, refusalStore, currentSnapshot, now } = options;
  return async (ids) => {
    const snapshot = currentSnapshot();
    const atMs = now();
    const [creativeIds, recent] = await Promise.all([creativeIdsOf(knex, ids), refusalStore.recent(ids, atMs - MS_PER_DAY)]);
    const loaded = ids.flatMap((id) => loadedLineItem(snapshot, id) ?? []);
    const accounts = await readAccounts(options, loaded);
    const limits = await readLimits(
      options,
      loaded.filter(({ lineItem, campaign }) => isLive(lineItem, campaign, atMs)),
      creativeIds,
      atMs,
    );
    const byId = new Map(loaded.map((one) => [one.lineItem.id, one]));
    const curves = createCurves(atMs);
    const statusOf = (id: number): LineItemStatus => {
      const one = byId.get(id);
      if (!one) return notLoaded(snapshot, 'line_items', id);
      const account = accounts?.get(id);
      const hasServed = (account?.totalImpressions ?? 0) > 0;
      return lineItemStatus({
        ...one,
        creatives: creativeObstacles(one, creativeIds.get(id) ?? [], { atMs, hasServed }),
        limits: limits?.get(id),
        recentServes: accounts && (account ? account.today.serves + account.yesterday.serves : 0),
        recently: recent.get(id) ?? NO_REFUSALS,
        goals: account ? coursesOf(one, account, curves(one), atMs) : [],
        curve: curves(one),
        atMs,
      });
    };
    const stored = accounts ? undefined : await storedCounts(knex, ids);
    const deliveryOf = (id: number): ListedDelivery =>
      listedDelivery(byId.get(id)?.lineItem, accounts?.get(id) ?? stored?.get(id) ?? NOTHING_DELIVERED, accounts !== undefined);
    return new Map(ids.map((id) => [id, { status: statusOf(id), delivery: deliveryOf(id) }]));
  };
};

/** By line item. */
const creativeIdsOf = async (knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> => {
  const rows = await knex('creatives')
    .where('line_item_id', knex.raw('any(?::int[])', [ids as number[]]))
    .orderBy('id')
    .select<{ id: number; line_item_id: number }[]>('id', 'line_item_id');
  const found = new Map<number, number[]>();
  for (const { id, line_item_id } of rows) {
    const known = found.get(line_item_id);
    if (known) known.push(id);
    else found.set(line_item_id, [id]);
  }
  return found;
};

/** Those of campaigns follow from those of their line items. */
export const createReadCampaignStatuses =
  ({ knex, currentSnapshot, now }: ReadStatusesOptions, readStatuses: ReadStatuses): ReadStatuses =>
  async (ids) => {
    const rows = await knex('line_items')
      .where('campaign_id', knex.raw('any(?::int[])', [ids as number[]]))
      .where({ archived: false })
      .select<{ id: number; campaign_id: number }[]>('id', 'campaign_id');
    const statuses = await readStatuses(rows.map(({ id }) => id));
    const snapshot = currentSnapshot();
    const atMs = now();
    return new Map(
      ids.map((id) => {
        const campaign = snapshot?.campaigns.get(id);
        const items = rows.flatMap((row) => (row.campaign_id === id ? (statuses.get(row.id) ?? []) : []));
        return [id, campaign ? campaignStatus(campaign, items, atMs) : notLoaded(snapshot, 'campaigns', id)];
      }),
    );
  };

const notLoaded = (snapshot: Snapshot | undefined, table: string, id: number): LineItemStatus =>
  plainStatus('cannot serve', [whyNotLoaded(snapshot, table, id)]);

/** Runs a call of Redis for the line items of each publisher, some at a time. undefined: Redis is away; its client logs that. */
const ofEachPublisher = async <T>(
  { counters }: ReadStatusesOptions,
  loaded: readonly LoadedLineItem[],
  read: (publisherId: number, some: readonly LoadedLineItem[]) => Promise<readonly T[]>,
): Promise<ReadonlyMap<number, T> | undefined> => {
  if (!counters.countersUp()) return undefined;
  const found = new Map<number, T>();
  const ordered = loaded.toSorted((a, b) => a.lineItem.publisherId - b.lineItem.publisherId);
  try {
    for (let at = 0; at < ordered.length;) {
      const publisherId = ordered[at]!.lineItem.publisherId;
      let end = at;
      while (end < ordered.length && end < at + MAX_PER_CALL && ordered[end]!.lineItem.publisherId === publisherId) end++;
      const some = ordered.slice(at, end);
      const values = await read(publisherId, some);
      for (const [i, { lineItem }] of some.entries()) found.set(lineItem.id, values[i]!);
      at = end;
    }
    return found;
  } catch {
    return undefined;
  }
};

const readAccounts = (options: ReadStatusesOptions, loaded: readonly LoadedLineItem[]) =>
  ofEachPublisher<Account | undefined>(options, loaded, (publisherId, some) =>
    options.counters.accounts.lineItems(
      publisherId,
      some.map(({ lineItem }) => lineItem.id),
    ),
  );

const readLimits = (
  options: ReadStatusesOptions,
  live: readonly LoadedLineItem[],
  creativeIds: ReadonlyMap<number, readonly number[]>,
  atMs: number,
) =>
  ofEachPublisher<LimitReading>(options, live, (publisherId, some) =>
    options.counters.readLimits({
      publisherId,
      userHash: null,
      curve: some[0]!.snapshot.curveAt(publisherId, atMs),
      candidates: some.map((one) => {
        const creatives = (creativeIds.get(one.lineItem.id) ?? []).flatMap((id) => one.snapshot.creatives.get(id) ?? []);
        return candidateForNewUser(one, creatives);
      }),
    }),
  );

const coursesOf = (
  { lineItem, campaign }: LoadedLineItem,
  { totalImpressions, totalClicks, today, yesterday }: Account,
  curve: readonly number[],
  atMs: number,
): readonly GoalCourse[] => {
  const delivered = { impressions: totalImpressions, clicks: totalClicks };
  return goalCourses(lineItem.goals, [lineItem.flight, campaign.flight], { delivered, today, yesterday }, { curve, atMs });
};

/** A day's traffic of a publisher by UTC hour, computed once. */
const createCurves = (atMs: number): ((of: LoadedLineItem) => readonly number[]) => {
  const known = new Map<number, readonly number[]>();
  const midnightMs = atMs - (atMs % MS_PER_DAY);
  return ({ snapshot, lineItem: { publisherId } }) => {
    let curve = known.get(publisherId);
    if (!curve) {
      curve = Array.from({ length: 24 }, (_, hour) => snapshot.curveAt(publisherId, midnightMs + hour * MS_PER_HOUR).shareOfHour);
      known.set(publisherId, curve);
    }
    return curve;
  };
};
