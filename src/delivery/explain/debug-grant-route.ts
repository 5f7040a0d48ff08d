import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { unknownFields } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { sendJson } from '../../http/answers/send-json.ts';
import { problem, sendProblem } from '../../http/problems/problem.ts';
import type { DebugGrants } from '../../http/request/debug-grants.ts';
import { readJson } from '../../http/request/read-json.ts';
import { actorOf } from '../../api/admin-gate.ts';
import { recordChange } from '../../bookings/audit-trail.ts';

export interface DebugGrantRouteOptions {
  readonly knex: Knex;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly debugGrants: DebugGrants;
  /** '': the URL is relative. */
  readonly publicUrl: string;
}

/**
 * POST /api/debug_grants `{publisher_id}`: 201 `{token, url, expires}`, a URL of POST /ad that shows
 * whole traces of this publisher's ad requests for an hour. The audit trail names who issued it.
 */
export const debugGrantRoute =
  ({ knex, currentSnapshot, debugGrants, publicUrl }: DebugGrantRouteOptions): RequestHandler =>
  async (req, res) => {
    const body = await readJson(req);
    if (!body.ok) return body.problem && sendProblem(res, body.problem);
    const snapshot = currentSnapshot();
    if (!snapshot) return sendProblem(res, problem('unavailable', 'The campaign data has not been loaded yet.'));
    const given = isObject(body.value) ? body.value : {};
    const publisher = snapshot.publishers.get(given['publisher_id'] as number);
    const faults = [
      ...unknownFields(given, ['publisher_id']),
      ...(publisher ? [] : [{ pointer: '/publisher_id', detail: 'must be the id of a loaded publisher' }]),
    ];
    if (!publisher || faults.length > 0) return sendProblem(res, problem('invalid_request', 'The debug grant names no publisher.', faults));
    const { token, expiresAtMs } = debugGrants.issue(publisher.id);
    const expires = new Date(expiresAtMs).toISOString();
    const change = { actor: actorOf(res), action: 'grant_debug', entity: 'publisher', entityId: publisher.id } as const;
    await knex.transaction((trx) => recordChange(trx, { ...change, before: null, after: { name: publisher.name, expires } }));
    sendJson(res, 201, { token, url: `${publicUrl}/ad?debug=1&debug_grant=${token}`, expires });
  };
