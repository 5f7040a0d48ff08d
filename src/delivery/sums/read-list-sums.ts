import type { Knex } from 'knex';
import { ENTITY_KINDS } from '../../bookings/entity-kind.ts';
import type { EntityReader, JudgeList, ListQuery } from '../../bookings/entity-reader.ts';
import { LIST_FIELDS } from '../../bookings/list-fields.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import { MAX_GROUPS, type ListSums, type Sums } from './list-sums.ts';
import { recentCounts, type CountedBy } from './recent-counts.ts';

/** The lists that are summed. */
export type SummedTable = 'campaigns' | 'line_items';

export interface ReadListSumsOptions {
  readonly knex: Knex;
  readonly reader: Pick<EntityReader, 'matching'>;
  readonly judgeList: JudgeList;
}

/** What the records of a list come to, as stored: about a second after the counters. Rejects when Postgres is away. */
export type ReadListSums = (table: SummedTable, query: ListQuery) => Promise<ListSums>;

const COUNTED_BY: Readonly<Record<SummedTable, CountedBy>> = { campaigns: 'campaign_id', line_items: 'line_item_id' };
const GOAL: Readonly<Record<SummedTable, string>> = { campaigns: 'null::bigint', line_items: 'goal_impressions' };

export const createReadListSums =
  ({ knex, reader, judgeList }: ReadListSumsOptions): ReadListSums =>
  async (table, asked) => {
    const query = await judgeList(ENTITY_KINDS[table], asked);
    const group = LIST_FIELDS[table].groups[query.groupBy ?? ''];
    const listed = reader
      .matching(ENTITY_KINDS[table], query)
      .select(
        'id',
        'budget_micros',
        knex.raw(`${GOAL[table]} as goal, ${group?.id ?? 'null::int'} as group_id, ${group?.name ?? 'null::text'} as group_name`),
      );
    const sums = ['impressions_today', 'spend_today', 'week', 'week_before', 'goal', 'budget_micros'];
    const whole = knex
      .with('listed', listed)
      .with('recent', knex.raw(recentCounts(COUNTED_BY[table], 'in (select id from listed)')))
      .from('listed')
      .leftJoin('recent', 'counted_id', 'id')
      .select(knex.raw('count(*) as records'), ...sums.map((name) => knex.raw(`coalesce(sum(${name}), 0) as ${name}`)));
    if (group)
      void whole
        .select('group_id', 'group_name', knex.raw('grouping(group_id) as is_total'))
        .groupByRaw('grouping sets ((), (group_id, group_name))')
        // The order of the list, so that its records are those of the groups in turn.
        .orderByRaw('is_total desc, lower(group_name) nulls last, group_id nulls last')
        .limit(MAX_GROUPS + 2);
    const rows = (await whole) as readonly SumsRow[];
    const groups = rows.slice(1, MAX_GROUPS + 1).map((row) => ({ id: row.group_id, name: row.group_name, ...sumsOf(row) }));
    return { total: sumsOf(rows[0]!), groups, more_groups: rows.length > MAX_GROUPS + 1 };
  };

/** Sums of Postgres are text. */
interface SumsRow {
  readonly group_id: number | null;
  readonly group_name: string | null;
  readonly records: string;
  readonly impressions_today: string;
  readonly spend_today: string;
  readonly week: string;
  readonly week_before: string;
  readonly goal: string;
  readonly budget_micros: string;
}

const sumsOf = (row: SumsRow): Sums => ({
  records: Number(row.records),
  impressions_today: Number(row.impressions_today),
  spend_today: usdFromMicros(Number(row.spend_today)),
  week: { impressions: Number(row.week), before: Number(row.week_before) },
  goal_impressions: Number(row.goal),
  budget: usdFromMicros(Number(row.budget_micros)),
});
