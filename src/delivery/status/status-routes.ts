import { Router } from 'express';
import { sendJson } from '../../http/answers/send-json.ts';
import { methodNotAllowed } from '../../http/problems/error-handler.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind } from '../../bookings/entity-kind.ts';
import { searchOf } from '../../bookings/list-query.ts';
import type { ListedDelivery } from './listed-delivery.ts';
import type { LineItemStatus } from './line-item-status.ts';
import type { ReadListed, ReadStatuses } from './read-statuses.ts';

/** The answer of GET /api/statuses, here and on the trafficking page: by id, which is text in JSON. */
export interface Statuses {
  readonly line_items: Readonly<Record<string, LineItemStatus>>;
  readonly campaigns: Readonly<Record<string, LineItemStatus>>;
  /** What is delivered by the same line items. */
  readonly deliveries: Readonly<Record<string, ListedDelivery>>;
}

export interface StatusRoutesOptions {
  readonly readListed: ReadListed;
  readonly readCampaignStatuses: ReadStatuses;
}

export const MAX_STATUSES = 200;

/** The statuses of records of a list. */
export const statusRoutes = ({ readListed, readCampaignStatuses }: StatusRoutesOptions): Router => {
  const router = Router();
  const statuses = router.route('/statuses');
  statuses.get(async (req, res) => {
    const search = searchOf(req);
    const lineItems = readIds(ENTITY_KINDS.line_items, search.get('line_item_ids'));
    const campaigns = readIds(ENTITY_KINDS.campaigns, search.get('campaign_ids'));
    if (!lineItems || !campaigns || lineItems.length + campaigns.length > MAX_STATUSES) {
      const detail = `line_item_ids and campaign_ids must be ids separated by commas, at most ${MAX_STATUSES} in all.`;
      return sendProblem(res, problem('invalid_request', detail));
    }
    const [ofItems, ofCampaigns] = await Promise.all([readListed(lineItems), readCampaignStatuses(campaigns)]);
    const answer: Statuses = {
      line_items: Object.fromEntries(Array.from(ofItems, ([id, { status }]) => [id, status])),
      campaigns: Object.fromEntries(ofCampaigns),
      deliveries: Object.fromEntries(Array.from(ofItems, ([id, { delivery }]) => [id, delivery])),
    };
    sendJson(res, 200, answer);
  });
  statuses.all(methodNotAllowed('GET, HEAD'));
  return router;
};

/** undefined: one cannot be an id. */
const readIds = (kind: EntityKind, text: string | null): readonly number[] | undefined => {
  const ids = (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((part) => readEntityId(kind, part.trim()));
  return ids.includes(undefined) ? undefined : [...new Set(ids.map(Number))];
};
