import { schemaOf } from '../api/columns.ts';
import { component } from '../api/component.ts';
import { daysQuery } from '../api/days-query.ts';
import { pagedList } from '../api/paged-list.ts';
import { idInPath, idQuery, idsQuery, textInPath } from '../api/parameters.ts';
import { at, defineRoutes, ok } from '../api/route.ts';
import { ATTENTION } from './attention/attention.ts';
import { DELIVERY } from './delivery.ts';
import { FLOW } from './flow/flow.ts';
import { PLACEMENT_REFUSALS, REFUSALS } from './refusals/refusals.ts';
import { REPORTED_CREATIVE_COLUMNS } from './reported-creative-columns.ts';
import { STATUSES } from './status/status.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { listParameters } from '../bookings/list-query.ts';
import { LIST_SUMS } from './sums/list-sums.ts';

/** Of line items and campaigns together. */
export const MAX_STATUSES = 200;

const lineItemInPath = { id: idInPath('line item') };
const refusalDays = daysQuery('First UTC day; by default `to`');

const REPORTED_CREATIVE = component('ReportedCreative', schemaOf(REPORTED_CREATIVE_COLUMNS), {
  ...{ creative_id: 9, line_item_id: 5, publisher_id: 1, total: 4, reasons: { misleading: 3, other: 1 } },
  ...{ last_at: '2026-10-14T12:00:00.000Z', blocked_at: null, deleted: false },
  ...{ placement_id: 'article-top', placement_ids: ['article-top', 'home-top'] },
  ...{ line_item: 'Boots, sport readers', advertiser_domain: 'boots.example' },
});

/** Those of the list, but for its pages and order. */
const summedParameters = (table: 'campaigns' | 'line_items') => {
  const { limit: _limit, offset: _offset, sort: _sort, include: _include, ...parameters } = listParameters(ENTITY_KINDS[table]);
  return parameters;
};
const flowDays = daysQuery('First UTC day; by default seven days up to `to`');
const WATCHING = { needs: 'alerts.read', reach: 'publishers', cost: 'list' } as const;
const FLOWING = {
  needs: 'alerts.read',
  reach: 'publishers',
  cost: 'list',
  answer: ok('The steps, and what was lost between them', FLOW),
} as const;
const SUMMING = { needs: 'delivery.read', reach: 'own', cost: 'list', answer: ok('Sums, as stored', LIST_SUMS) } as const;

/** How line items deliver, why they do not, and what needs attention. */
export const DELIVERY_API = defineRoutes({
  getLineItemDelivery: {
    ...at('GET', '/api/line_items/{id}/delivery', 'delivery'),
    needs: 'delivery.read',
    reach: 'own',
    summary: 'Delivery of a line item: live figures of today, the last days, limits, pacing, and the status with its reasons',
    parameters: lineItemInPath,
    answer: ok('Current delivery', DELIVERY),
  },
  getAttention: {
    ...at('GET', '/api/attention', 'delivery', WATCHING),
    summary: 'What needs attention, what has ended, and whether the service is well',
    answer: ok('The same for people who ask within ten seconds', ATTENTION),
  },
  getStatuses: {
    ...at('GET', '/api/statuses', 'delivery'),
    needs: 'delivery.read',
    reach: 'own',
    cost: 'list',
    summary: 'The statuses of line items and campaigns with their reasons, and what the line items have delivered',
    parameters: {
      line_item_ids: idsQuery(`Ids separated by commas; at most ${MAX_STATUSES} with campaign_ids`),
      campaign_ids: idsQuery('Ids separated by commas'),
    },
    answer: ok('Statuses by id', STATUSES),
  },
  sumLineItems: {
    ...at('GET', '/api/sums/line_items', 'delivery', SUMMING),
    summary: 'What the line items of a list come to together, and by campaign or advertiser',
    parameters: summedParameters('line_items'),
  },
  sumCampaigns: {
    ...at('GET', '/api/sums/campaigns', 'delivery', SUMMING),
    summary: 'What the campaigns of a list come to together, and by advertiser or publisher',
    parameters: summedParameters('campaigns'),
  },
  getLineItemRefusals: {
    ...at('GET', '/api/line_items/{id}/refusals', 'delivery', WATCHING),
    summary: 'Why a line item was not shown: impressions of its placements by reason and hour, what outranked it, and what would help',
    parameters: { ...lineItemInPath, ...refusalDays },
    answer: ok('Refusals', REFUSALS),
  },
  getPlacementRefusals: {
    ...at('GET', '/api/placements/{id}/refusals', 'delivery', WATCHING),
    summary: 'Why requests for a placement got no ad',
    parameters: { id: textInPath('placement'), ...refusalDays },
    answer: ok('Refusals', PLACEMENT_REFUSALS),
  },
  getLineItemFlow: {
    ...at('GET', '/api/line_items/{id}/flow', 'delivery', FLOWING),
    summary: 'What became of the requests for a line item, from asked to billed',
    parameters: { ...lineItemInPath, ...flowDays },
  },
  getCampaignFlow: {
    ...at('GET', '/api/campaigns/{id}/flow', 'delivery', FLOWING),
    summary: 'The same of the line items of a campaign together',
    parameters: { id: idInPath('campaign'), ...flowDays },
  },
  getAdvertiserFlow: {
    ...at('GET', '/api/advertisers/{id}/flow', 'delivery', FLOWING),
    summary: 'The same of the line items of an advertiser together',
    parameters: { id: idInPath('advertiser'), ...flowDays },
  },
  getPlacementFlow: {
    ...at('GET', '/api/placements/{id}/flow', 'delivery', FLOWING),
    summary: 'What became of the requests for a placement, from asked to billed',
    parameters: { id: textInPath('placement'), ...flowDays },
  },
  listComplaints: {
    ...at('GET', '/api/complaints', 'delivery'),
    needs: 'alerts.read',
    reach: 'own',
    cost: 'list',
    summary: 'Complaints of users (quality reports) by creative and reason, most reported first',
    ...pagedList('Reported creatives', REPORTED_CREATIVE, {
      publisher_id: idQuery('publisher', 'Only this publisher_id'),
      line_item_id: idQuery('line item', 'Only this line_item_id'),
      creative_id: idQuery('creative', 'Only this creative_id'),
    }),
  },
});
