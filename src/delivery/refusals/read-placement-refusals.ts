import type { Knex } from 'knex';
import type { Scope } from '../../access/scope.ts';
import type { Days } from '../../api/days-query.ts';
import { isAmong, scopeBinding } from '../../bookings/record-scope.ts';
import { dayOf, MS_PER_DAY } from '../../base/utc-day.ts';
import { reasonNamed, wordsOf } from '../../decision/no-bid-reason.ts';
import type { PlacementRefusals } from './refusals.ts';

/** Days are those of the publisher, hours are moments: the days around the hours narrow the rows. */
const byReason = (scope: Scope): string => `
  select reason, sum(requests) as requests from request_hours
  where placement_id = :id and ${isAmong('publishers', 'publisher_id', scope)}
    and day between :from::date - 1 and :to::date + 1 and hour >= :begin and hour < :end
  group by 1 order by 2 desc, 1`;

/** Of the requests of the publishers of a scope. undefined: there is no such placement. Rejects when Postgres is away. */
export const createReadPlacementRefusals =
  ({ knex }: { readonly knex: Knex }) =>
  async (id: string, { from, to }: Days, scope: Scope): Promise<PlacementRefusals | undefined> => {
    if (!(await knex('placements').where({ id }).first('id'))) return undefined;
    const [begin, end] = [new Date(from), new Date((dayOf(Date.parse(to)) + 1) * MS_PER_DAY)];
    const { rows } = await knex.raw<{ rows: { reason: string; requests: string }[] }>(byReason(scope), {
      ...{ id, from, to, begin, end },
      ...scopeBinding(scope),
    });
    const sumOf = (some: typeof rows): number => some.reduce((sum, { requests }) => sum + Number(requests), 0);
    const refused = rows.filter(({ reason }) => reason !== '');
    const requests = sumOf(rows);
    return {
      placement_id: id,
      from,
      to,
      requests,
      unfilled: sumOf(refused),
      reasons: refused.map(({ reason, requests: some }) => {
        const known = reasonNamed(reason);
        return { reason, words: known === undefined ? reason : wordsOf(known), requests: Number(some), share: Number(some) / requests };
      }),
    };
  };
