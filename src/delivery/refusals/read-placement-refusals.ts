import type { Knex } from 'knex';
import type { Scope } from '../../access/scope.ts';
import type { Days } from '../../api/days-query.ts';
import { reasonNamed, wordsOf } from '../../decision/no-bid-reason.ts';
import { requestsByReason, windowOf } from '../flow/read-flow.ts';
import type { PlacementRefusals } from './refusals.ts';

/** Of the requests of the publishers of a scope. undefined: there is no such placement. Rejects when Postgres is away. */
export const createReadPlacementRefusals =
  ({ knex }: { readonly knex: Knex }) =>
  async (id: string, days: Days, scope: Scope): Promise<PlacementRefusals | undefined> => {
    if (!(await knex('placements').where({ id }).first('id'))) return undefined;
    const rows = await requestsByReason(knex, windowOf(id, days), scope);
    const sumOf = (some: typeof rows): number => some.reduce((sum, one) => sum + one.requests, 0);
    const refused = rows.filter(({ reason }) => reason !== '');
    const requests = sumOf(rows);
    return {
      placement_id: id,
      ...days,
      requests,
      unfilled: sumOf(refused),
      reasons: refused.map(({ reason, requests: some }) => {
        const known = reasonNamed(reason);
        return { reason, words: known === undefined ? reason : wordsOf(known), requests: some, share: some / requests };
      }),
    };
  };
