import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { localDayOf } from '../../base/local-day.ts';
import { under } from '../../base/under.ts';
import { dayOf, MS_PER_DAY } from '../../base/utc-day.ts';
import { servesAgainAt } from '../../catalog/model/schedule.ts';
import { dayTraffic, type DayTraffic } from '../../catalog/snapshot/traffic-curve.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isLive } from '../../decision/rules.ts';
import type { RefusalStore } from '../../events/postgres/refusal-store.ts';
import type { Account } from '../../ledger/read/read-accounts.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import type { GoalCourse } from '../delivery.ts';
import { goalCourses } from '../goal-course.ts';
import { creativeObstacles, loadedLineItem, whyNotLoaded, type LoadedLineItem } from '../loaded-line-item.ts';
import { candidateForNewUser, type CountersSource } from '../read-counters.ts';
import { askByPublisher } from './ask-by-publisher.ts';
import { campaignStatus } from './campaign-status.ts';
import { listedDelivery, NOTHING_DELIVERED, storedCounts, type DeliveredCounts } from './listed-delivery.ts';
import { lineItemStatus, NO_REFUSALS, plainStatus } from './line-item-status.ts';
import type { LineItemStatus, ListedDelivery } from './status.ts';

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

/** What lists and pages show of a line item beside its record, all from the same counts. */
export interface ListedLineItem {
  readonly status: LineItemStatus;
  readonly delivery: ListedDelivery;
  /** Its progress towards its goals, which its status follows from; undefined: it is not loaded. */
  readonly goals: readonly GoalCourse[] | undefined;
}

/** By id, for any number of line items. Rejects when Postgres is away. */
export type ReadListed = (ids: readonly number[]) => Promise<ReadonlyMap<number, ListedLineItem>>;

/** Read and judged together. More would be kept until the garbage collector copies it; fewer make more round trips. */
const READ_TOGETHER = 250;
/** Judged before other work gets a turn: 2 ms. */
const JUDGED_A_TURN = 100;

export const createReadStatuses = (options: ReadStatusesOptions): ReadStatuses => {
  const readListed = createReadListed(options);
  return async (ids) => new Map(Array.from(await readListed(ids), ([id, { status }]) => [id, status]));
};

export const createReadListed = (options: ReadStatusesOptions): ReadListed => {
  const { knex, refusalStore, currentSnapshot, now } = options;
  const readSome: ReadListed = async (ids) => {
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
    const withoutAccount = ids.filter((id) => !accounts?.get(id));
    const today = (id: number): number => {
      const one = byId.get(id);
      return one ? localDayOf(one.snapshot.daysOf(one.lineItem.publisherId, atMs), atMs) : dayOf(atMs);
    };
    const stored = await storedCounts(knex, withoutAccount, today);
    const judge = (id: number): ListedLineItem => {
      const one = byId.get(id);
      const counts = accounts?.get(id) ?? stored.get(id) ?? NOTHING_DELIVERED;
      const delivery = listedDelivery(one?.lineItem, counts, accounts !== undefined);
      if (!one) return { status: notLoaded(snapshot, 'line_items', id), delivery, goals: undefined };
      const { byHour: curve, day } = curves(one);
      const moment = { curve, day, atMs };
      const goals = coursesOf(one, counts, { ...moment, hours: one.snapshot.hoursOf(one.lineItem, atMs) });
      const status = lineItemStatus({
        ...one,
        creatives: creativeObstacles(one, creativeIds.get(id) ?? [], { atMs, hasServed: counts.totalImpressions > 0 }),
        limits: limits?.get(id),
        recentServes: accounts && counts.today.serves + counts.yesterday.serves,
        recently: recent.get(id) ?? NO_REFUSALS,
        ...{ goals, ...moment, servesAgainMs: servesAgainOf(one, atMs) },
      });
      return { status, delivery, goals };
    };
    const listed = new Map<number, ListedLineItem>();
    for (const [i, id] of ids.entries()) {
      if (i > 0 && i % JUDGED_A_TURN === 0) await setImmediate();
      listed.set(id, judge(id));
    }
    return listed;
  };
  return async (ids) => {
    const listed = new Map<number, ListedLineItem>();
    for (let at = 0; at < ids.length; at += READ_TOGETHER)
      for (const [id, one] of await readSome(ids.slice(at, at + READ_TOGETHER))) listed.set(id, one);
    return listed;
  };
};

/** By line item. */
const creativeIdsOf = async (knex: Knex, ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> => {
  const rows = await knex('creatives')
    .where('line_item_id', knex.raw('any(?::int[])', [ids as number[]]))
    .orderBy('id')
    .select<{ id: number; line_item_id: number }[]>('id', 'line_item_id');
  const found = groupBy(rows, ({ line_item_id }) => line_item_id);
  return new Map(Array.from(found, ([lineItemId, creatives]) => [lineItemId, creatives.map(({ id }) => id)]));
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
    const itemsOf = groupBy(rows, ({ campaign_id }) => campaign_id);
    const snapshot = currentSnapshot();
    const atMs = now();
    return new Map(
      ids.map((id) => {
        const campaign = snapshot?.campaigns.get(id);
        const items = (itemsOf.get(id) ?? []).flatMap((item) => statuses.get(item.id) ?? []);
        return [id, campaign ? campaignStatus(campaign, items, atMs) : notLoaded(snapshot, 'campaigns', id)];
      }),
    );
  };

const notLoaded = (snapshot: Snapshot | undefined, table: string, id: number): LineItemStatus =>
  plainStatus('cannot serve', [whyNotLoaded(snapshot, table, id)]);

const readAccounts = (options: ReadStatusesOptions, loaded: readonly LoadedLineItem[]) =>
  askByPublisher<Account | undefined>(options.counters, loaded, (publisherId, some) =>
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
  askByPublisher<LimitReading>(options.counters, live, (publisherId, some) =>
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

const servesAgainOf = ({ snapshot, lineItem: { publisherId, sales } }: LoadedLineItem, atMs: number): number | undefined =>
  sales.schedule === null ? undefined : servesAgainAt(sales.schedule, atMs, snapshot.daysOf(publisherId, atMs));

const coursesOf = (
  { lineItem, campaign }: LoadedLineItem,
  { totalImpressions, totalClicks, today, yesterday }: DeliveredCounts,
  moment: Parameters<typeof goalCourses>[3],
): readonly GoalCourse[] => {
  const delivered = { impressions: totalImpressions, clicks: totalClicks };
  return goalCourses(lineItem.goals, [lineItem.flight, campaign.flight], { delivered, today, yesterday }, moment);
};

/** The day's traffic of a publisher, computed once. */
const createCurves = (atMs: number): ((of: LoadedLineItem) => DayTraffic) => {
  const known = new Map<number, DayTraffic>();
  return ({ snapshot, lineItem: { publisherId } }) =>
    under(known, publisherId, () => dayTraffic((ms) => snapshot.curveAt(publisherId, ms), atMs));
};
