import type { Knex } from 'knex';
import { ENTITY_KINDS } from '../../bookings/entity-kind.ts';
import { groupBy } from '../../base/group-by.ts';
import type { EntityReader, JudgeList, ListQuery } from '../../bookings/entity-reader.ts';
import { LIST_FIELDS } from '../../bookings/list-fields.ts';
import { amountsOf } from '../../catalog/model/amounts.ts';
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
const CURRENCY: Readonly<Record<SummedTable, string>> = {
  campaigns: 'select currency from publishers where publishers.id = campaigns.publisher_id',
  line_items: 'select p.currency from campaigns c join publishers p on p.id = c.publisher_id where c.id = line_items.campaign_id',
};
/** A group has a row for each of its currencies: almost always one. */
const MAX_ROWS = 2 * MAX_GROUPS + 100;
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
        knex.raw(
          `(${CURRENCY[table]}) as currency, ${GOAL[table]} as goal, ${group?.id ?? 'null::int'} as group_id, ${group?.name ?? 'null::text'} as group_name`,
        ),
      );
    const whole = knex
      .with('listed', listed)
      .with('recent', knex.raw(recentCounts(COUNTED_BY[table], 'in (select id from listed)')))
      .from('listed')
      .leftJoin('recent', 'counted_id', 'id')
      .select('currency', knex.raw('count(*) as records'), ...SUMMED.map((name) => knex.raw(`coalesce(sum(${name}), 0) as ${name}`)));
    if (group)
      void whole
        .select('group_id', 'group_name', knex.raw('grouping(group_id) as is_total'))
        .groupByRaw('grouping sets ((currency), (group_id, group_name, currency))')
        // The order of the list, so that its records are those of the groups in turn.
        .orderByRaw('is_total desc, lower(group_name) nulls last, group_id nulls last, currency')
        .limit(MAX_ROWS);
    else void whole.select(knex.raw('1 as is_total')).groupBy('currency').orderBy('currency');
    const rows = (await whole) as readonly SumsRow[];
    const groups = [
      ...groupBy(
        rows.filter((row) => row.is_total === 0),
        (row) => row.group_id,
      ),
    ].map(([id, of]) => ({
      ...{ id, name: of[0]!.group_name },
      ...sumsOf(of),
    }));
    return {
      total: sumsOf(rows.filter((row) => row.is_total === 1)),
      groups: groups.slice(0, MAX_GROUPS),
      more_groups: groups.length > MAX_GROUPS,
    };
  };

const SUMMED = ['impressions_today', 'spend_today', 'week', 'week_before', 'goal', 'budget_micros'] as const;
type SumName = (typeof SUMMED)[number] | 'records';

/** Sums of Postgres are text. */
interface SumsRow extends Readonly<Record<SumName, string>> {
  readonly currency: string;
  /** 1: of all groups. */
  readonly is_total: number;
  readonly group_id: number | null;
  readonly group_name: string | null;
}

/** Of the rows of all currencies. */
const sumsOf = (rows: readonly SumsRow[]): Sums => {
  const sum = (name: SumName): number => rows.reduce((all, row) => all + Number(row[name]), 0);
  const amounts = (name: SumName) => amountsOf(rows.map((row) => ({ currency: row.currency, micros: Number(row[name]) })));
  return {
    records: sum('records'),
    impressions_today: sum('impressions_today'),
    spend_today: amounts('spend_today'),
    week: { impressions: sum('week'), before: sum('week_before') },
    goal_impressions: sum('goal'),
    budget: amounts('budget_micros'),
  };
};
