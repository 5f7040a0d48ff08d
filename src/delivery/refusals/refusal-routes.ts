import { Router } from 'express';
import { dayOf } from '../../base/utc-day.ts';
import { REFUSAL_DAYS } from '../../events/postgres/refusal-store.ts';
import { sendJson } from '../../http/answers/send-json.ts';
import { methodNotAllowed } from '../../http/problems/error-handler.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import { ENTITY_KINDS, readEntityId } from '../../bookings/entity-kind.ts';
import { searchOf } from '../../bookings/list-query.ts';
import { readDays } from '../read-days.ts';
import type { Days } from './read-refusals.ts';
import type { PlacementRefusals, Refusals } from './refusals.ts';

export interface RefusalRoutesOptions {
  readonly readRefusals: (lineItemId: number, days: Days) => Promise<Refusals | undefined>;
  readonly readPlacementRefusals: (placementId: string, days: Days) => Promise<PlacementRefusals | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const PERIOD = { defaultDays: 1, maxDays: REFUSAL_DAYS };

/** Why records did not deliver, over time. */
export const refusalRoutes = ({ readRefusals, readPlacementRefusals, now }: RefusalRoutesOptions): Router => {
  const router = Router();
  const ofItem = router.route('/line_items/:id/refusals');
  ofItem.get(async (req, res) => {
    const search = searchOf(req);
    const days = readDays(search, dayOf(now()), PERIOD);
    if (!days.ok) return sendProblem(res, days.problem);
    const id = readEntityId(ENTITY_KINDS.line_items, req.params.id);
    const found = id === undefined ? undefined : await readRefusals(Number(id), days);
    if (!found) return sendProblem(res, problem('not_found', 'There is no line item with this id.'));
    sendJson(res, 200, found);
  });
  ofItem.all(methodNotAllowed('GET, HEAD'));
  const ofPlacement = router.route('/placements/:id/refusals');
  ofPlacement.get(async (req, res) => {
    const days = readDays(searchOf(req), dayOf(now()), PERIOD);
    if (!days.ok) return sendProblem(res, days.problem);
    const found = await readPlacementRefusals(req.params.id, days);
    if (!found) return sendProblem(res, problem('not_found', 'There is no placement with this id.'));
    sendJson(res, 200, found);
  });
  ofPlacement.all(methodNotAllowed('GET, HEAD'));
  return router;
};
