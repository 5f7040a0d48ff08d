import type { Knex } from 'knex';
import { isLimited, maySee } from '../access/scope.ts';
import { answer, refuse, type Handlers } from '../api/route.ts';
import { isVisible, scopeBinding } from '../bookings/record-scope.ts';
import { MAX_HISTORY_ROWS, type HISTORY_API, type HISTORY_GROUPS } from './history-api.ts';
import { keepDays } from './imported-days.ts';

type Group = (typeof HISTORY_GROUPS)[number];

/** What a row is of, and the names of records. */
const GROUPS: Readonly<Record<Group, { readonly of: string; readonly named?: string }>> = {
  month: { of: "to_char(day, 'YYYY-MM')" },
  day: { of: "to_char(day, 'YYYY-MM-DD')" },
  campaign: { of: 'campaign_id::text', named: 'campaigns' },
  line_item: { of: 'line_item_id::text', named: 'line_items' },
  creative: { of: 'creative_id::text', named: 'creatives' },
  placement: { of: 'placement_id' },
};

interface Sums {
  readonly impressions: string | null;
  readonly clicks: string | null;
}

export interface HistoryRoutesOptions {
  readonly knex: Knex;
  /** For reports: their queries have connections apart from the others. */
  readonly reportKnex: Knex;
}

/** What other systems had counted. */
export const historyRoutes = ({ knex: main, reportKnex: knex }: HistoryRoutesOptions): Handlers<typeof HISTORY_API> => ({
  keepImportedHistory: async ({ body }, { caller }) => {
    const { publisher_id: publisherId, days } = body;
    const isKnown =
      maySee(caller.publishers, publisherId) && (await main('publishers').where({ id: publisherId }).first('id')) !== undefined;
    if (!isKnown) return refuse('invalid_request', 'The history has faults.', [{ pointer: '/publisher_id', detail: 'does not exist' }]);
    const seen = new Set<string>();
    const faults = days.flatMap(({ creative, placement, day }, i) => {
      const key = JSON.stringify([creative, placement, day]);
      if (seen.has(key)) return [{ pointer: `/days/${i}`, detail: 'is there twice: the same creative, placement and day' }];
      seen.add(key);
      return [];
    });
    if (faults.length > 0) return refuse('invalid_request', 'The history has faults.', faults);
    const kept = await main.transaction((trx) => keepDays(trx, body));
    return answer({ kept, unknown: days.length - kept });
  },

  getImportedHistory: async ({ from, to, group_by: group, ...only }, { caller }) => {
    const days = knex('imported_days');
    for (const [column, value] of Object.entries(only)) if (value !== undefined) void days.where({ [column]: value });
    if (from !== undefined) void days.where('day', '>=', from);
    if (to !== undefined) void days.where('day', '<=', to);
    if (isLimited(caller))
      void days.whereRaw(`campaign_id in (select id from campaigns where ${isVisible('campaigns', caller)})`, { ...scopeBinding(caller) });
    const { of, named } = GROUPS[group];
    const isTime = named === undefined && group !== 'placement';
    const [totals, rows] = await Promise.all([
      days
        .clone()
        .first<Sums & { first: string | null; last: string | null; sources: readonly string[] | null }>(
          knex.raw('sum(impressions) as impressions, sum(clicks) as clicks'),
          knex.raw(
            `to_char(min(day), 'YYYY-MM-DD') as first, to_char(max(day), 'YYYY-MM-DD') as last, array_agg(distinct source) as sources`,
          ),
        ),
      days
        .clone()
        .groupByRaw('1')
        .orderByRaw(isTime ? '1' : '2 desc, 1')
        .limit(MAX_HISTORY_ROWS)
        .select<(Sums & { of: string })[]>(knex.raw(`${of} as of, sum(impressions) as impressions, sum(clicks) as clicks`)),
    ]);
    const names = new Map<string, string>();
    if (named !== undefined && rows.length > 0)
      for (const { id, name } of await knex(named)
        .whereIn(
          'id',
          rows.map((row) => Number(row.of)),
        )
        .select<{ id: number; name: string }[]>('id', 'name'))
        names.set(String(id), name);
    const figures = ({ impressions, clicks }: Sums) => ({ impressions: Number(impressions ?? 0), clicks: Number(clicks ?? 0) });
    return answer({
      source: totals.sources?.length === 1 ? (totals.sources[0] ?? null) : null,
      ...{ first_day: totals.first, last_day: totals.last, totals: figures(totals) },
      rows: rows.map((row) => ({ of: row.of, name: names.get(row.of) ?? null, ...figures(row) })),
    });
  },
});
