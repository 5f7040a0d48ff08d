import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { show } from '../api/columns.ts';
import { readDays, type Days } from '../api/days-query.ts';
import { answer, noSuch, refuse, type Call, type Handlers } from '../api/route.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import type { ListQuery } from '../bookings/entity-reader.ts';
import { toListQuery } from '../bookings/list-query.ts';
import { isAmong, isOwned, scopeBinding, visibleIds } from '../bookings/record-scope.ts';
import { definedMembers } from '../base/narrow.ts';
import { dayOf } from '../base/utc-day.ts';
import { REFUSAL_DAYS } from '../events/postgres/refusal-store.ts';
import { readReportedCreatives } from '../tracking/report-store.ts';
import type { Attention } from './attention/attention.ts';
import type { Delivery } from './delivery.ts';
import { MAX_STATUSES, type DELIVERY_API } from './delivery-api.ts';
import type { FlowTable } from './flow/flow.ts';
import type { ReadFlow } from './flow/read-flow.ts';
import type { PlacementRefusals, Refusals } from './refusals/refusals.ts';
import { REPORTED_CREATIVE_COLUMNS } from './reported-creative-columns.ts';
import { withoutTraffic } from './status/line-item-status.ts';
import type { LineItemStatus } from './status/status.ts';
import type { ReadListSums, SummedTable } from './sums/read-list-sums.ts';
import { readWeeks } from './sums/recent-counts.ts';
import type { ReadListed, ReadStatuses } from './status/read-statuses.ts';

export interface DeliveryRoutesOptions {
  readonly knex: Knex;
  readonly readDelivery: (lineItemId: number) => Promise<Delivery | undefined>;
  readonly readAttention: (scope: Scope) => Promise<Attention>;
  readonly readListed: ReadListed;
  readonly readCampaignStatuses: ReadStatuses;
  readonly readListSums: ReadListSums;
  readonly readFlow: ReadFlow;
  readonly readRefusals: (lineItemId: number, days: Days) => Promise<Refusals | undefined>;
  readonly readPlacementRefusals: (placementId: string, days: Days, scope: Scope) => Promise<PlacementRefusals | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const shownStatus = ({ advertisers }: Scope, status: LineItemStatus): LineItemStatus => (advertisers ? withoutTraffic(status) : status);

/** Complaints outlive line items, and then concern their publisher alone. */
const onlyComplaints = (knex: Knex, scope: Scope): Knex.Raw => {
  const ofAdvertisers = `line_item_id in (select id from line_items where ${isOwned('line_items', scope)})`;
  const conditions = [isAmong('publishers', 'publisher_id', scope), ...(scope.advertisers ? [ofAdvertisers] : [])];
  return knex.raw(conditions.join(' and '), { ...scopeBinding(scope) });
};

type Summed = Omit<Parameters<typeof toListQuery>[2], 'limit' | 'offset' | 'sort'>;
/** The whole list. */
const summedQuery = (table: SummedTable, scope: Scope, asked: Summed): ListQuery =>
  toListQuery(ENTITY_KINDS[table], scope, { ...asked, sort: { by: 'id', order: 'asc' }, limit: 1, offset: 0 });

const FLOW_DAYS = 7;
const REFUSED_DAYS = 1;

/** How line items deliver, why they do not, and what needs attention. */
export const deliveryRoutes = ({ knex, now, ...read }: DeliveryRoutesOptions): Handlers<typeof DELIVERY_API> => {
  /** What is read of a record for some days. `words`: its name for people; `usual`: days. */
  const inDays =
    <Id, Found extends object>(words: string, usual: number, ask: (id: Id, days: Days, scope: Scope) => Promise<Found | undefined>) =>
    async ({ id, ...asked }: { readonly id: Id } & Parameters<typeof readDays>[0], { caller }: Call) => {
      const period = readDays(asked, dayOf(now()), { defaultDays: usual, maxDays: REFUSAL_DAYS });
      if (!period.ok) return period.refused;
      const found = await ask(id, period.days, caller);
      return found ? answer(found) : noSuch(words);
    };
  const flowOf = (table: FlowTable) =>
    inDays(ENTITY_KINDS[table].words, FLOW_DAYS, (id: number | string, days, scope) => read.readFlow(table, id, days, scope));
  return {
    getLineItemDelivery: async ({ id }, { caller }) => {
      const delivery = await read.readDelivery(id);
      return delivery ? answer({ ...delivery, status: shownStatus(caller, delivery.status) }) : noSuch('line item');
    },
    getAttention: async (_asked, { caller }) => answer(await read.readAttention(caller)),
    getStatuses: async ({ line_item_ids: lineItems, campaign_ids: campaigns }, { caller }) => {
      if (lineItems.length + campaigns.length > MAX_STATUSES)
        return refuse('invalid_request', `line_item_ids and campaign_ids must be at most ${MAX_STATUSES} ids in all.`);
      const [itemIds, campaignIds] = await Promise.all([
        visibleIds(knex, 'line_items', caller, lineItems),
        visibleIds(knex, 'campaigns', caller, campaigns),
      ]);
      const [ofItems, ofCampaigns, itemWeeks, campaignWeeks] = await Promise.all([
        read.readListed(itemIds),
        read.readCampaignStatuses(campaignIds),
        readWeeks(knex, 'line_item_id', itemIds),
        readWeeks(knex, 'campaign_id', campaignIds),
      ]);
      return answer({
        line_items: Object.fromEntries(Array.from(ofItems, ([id, { status }]) => [id, shownStatus(caller, status)])),
        campaigns: Object.fromEntries(Array.from(ofCampaigns, ([id, status]) => [id, shownStatus(caller, status)])),
        deliveries: Object.fromEntries(Array.from(ofItems, ([id, { delivery }]) => [id, delivery])),
        weeks: { line_items: itemWeeks, campaigns: campaignWeeks },
      });
    },
    sumLineItems: async (asked, { caller }) => answer(await read.readListSums('line_items', summedQuery('line_items', caller, asked))),
    sumCampaigns: async (asked, { caller }) => answer(await read.readListSums('campaigns', summedQuery('campaigns', caller, asked))),
    getLineItemRefusals: inDays('line item', REFUSED_DAYS, read.readRefusals),
    getPlacementRefusals: inDays('placement', REFUSED_DAYS, read.readPlacementRefusals),
    getLineItemFlow: flowOf('line_items'),
    getCampaignFlow: flowOf('campaigns'),
    getAdvertiserFlow: flowOf('advertisers'),
    getPlacementFlow: flowOf('placements'),
    listComplaints: async ({ limit, offset, ...where }, { caller }) => {
      const reported = await readReportedCreatives(knex, {
        limit,
        offset,
        where: definedMembers(where),
        only: onlyComplaints(knex, caller),
      });
      return answer(reported.map((creative) => show(REPORTED_CREATIVE_COLUMNS, creative)));
    },
  };
};
