import type { RollUp } from '../../events/postgres/roll-ups.ts';
import { feeRows } from './fee-sql.ts';
import { dimensionOf, JOINS, type DimensionName, type Reading } from './report-dimensions.ts';
import { columnsOf, metricOf, SUMS, type SumName } from './report-fields.ts';
import type { ReportFilter, ReportQuestion } from './report-question.ts';

/** SQL with named bindings. */
export interface Statement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** Sums that the metrics need, in the order of SUMS. */
const sumsOf = ({ metrics }: ReportQuestion): readonly SumName[] => {
  const needed = new Set(metrics.flatMap((metric): readonly SumName[] => metricOf(metric).sums));
  return (Object.keys(SUMS) as SumName[]).filter((sum) => needed.has(sum));
};

const readingOf = (name: DimensionName, of: RollUp['of']): Reading => {
  const reading = dimensionOf(name).in[of];
  if (!reading) throw new Error(`the roll-ups of ${of} have no ${name}`);
  return reading;
};

/** The condition of a filter on rows `r`; its values are the binding `filter_<dimension>`. */
const conditionOf = ({ dimension }: ReportFilter, of: RollUp['of']): string =>
  `${readingOf(dimension, of).sql} = any(:filter_${dimension}::${dimensionOf(dimension).kind === 'id' ? 'int' : 'text'}[])`;

const joinsOf = (names: readonly DimensionName[], of: RollUp['of']): string =>
  [...new Set(names.flatMap((name) => readingOf(name, of).joins ?? []))].map((join) => JOINS[join]).join(' ');

/** The sums of one source of rows `r`, by the dimensions. `sqlOf` undefined: the source has no such sum. */
const partOf = (
  question: ReportQuestion,
  of: RollUp['of'],
  from: string,
  sqlOf: (sum: SumName) => string | undefined,
  where: readonly string[],
): string => {
  const { groupBy, filters } = question;
  const dimensions = groupBy.map((name) => `${readingOf(name, of).sql} as "${name}"`);
  const sums = sumsOf(question).map((sum) => `${sqlOf(sum) === undefined ? '0::numeric' : `coalesce(${sqlOf(sum)}, 0)`} as ${sum}`);
  const conditions = [...where, ...filters.map((filter) => conditionOf(filter, of))];
  return `select ${[...dimensions, ...sums].join(', ')} from ${from} r ${joinsOf([...groupBy, ...filters.map(({ dimension }) => dimension)], of)}
    ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''} ${groupedBy(groupBy)}`;
};

const groupedBy = (groupBy: readonly DimensionName[]): string =>
  groupBy.length > 0 ? `group by ${groupBy.map((_, i) => i + 1).join(', ')}` : '';

/**
 * The members of a WITH that end in `s`, the sums of the report by its dimensions, without rows in
 * which all are zero.
 */
const summed = (question: ReportQuestion): string => {
  const { groupBy, rollUps } = question;
  const sums = sumsOf(question);
  const fees = sums.includes('spend') ? feeRows(question) : undefined;
  const parts = [
    ...rollUps.map(({ of, table }) =>
      partOf(question, of, table, (sum) => (SUMS[sum].of === of ? SUMS[sum].sql : undefined), ['r.day between :from::date and :to::date']),
    ),
    ...(fees === undefined ? [] : [partOf(question, 'hits', 'fee_rows', (sum) => (sum === 'spend' ? 'sum(r.fee)' : undefined), [])]),
  ];
  const dimensions = groupBy.map((name) => `"${name}"`);
  const all =
    parts.length === 1
      ? parts[0]
      : `select ${[...dimensions, ...sums.map((sum) => `sum(${sum}) as ${sum}`)].join(', ')}
         from (${parts.join(' union all ')}) parts ${groupedBy(groupBy)}`;
  return `${fees === undefined ? '' : `${fees}, `}s as materialized (select * from (${all}) every where ${sums.map((sum) => `${sum} <> 0`).join(' or ')})`;
};

const metricsSql = ({ metrics }: ReportQuestion): readonly string[] => metrics.map((name) => `${metricOf(name).sql} as "${name}"`);

/**
 * The rows in their order, with the columns of `columnsOf`.
 *
 * @param dayText makes a text of a day; rows are grouped and sorted by the date, which is faster
 */
const rowsSql = (question: ReportQuestion, dayText: (day: string) => string): string => {
  const { groupBy, metrics, sort } = question;
  const named = groupBy.filter((name) => dimensionOf(name).kind === 'id');
  const columns = groupBy.flatMap((name) => {
    const { kind, table } = dimensionOf(name);
    if (kind === 'day') return [`${dayText(`s."${name}"`)} as "${name}"`];
    if (kind !== 'id') return [`s."${name}" as "${table ? `${name}_id` : name}"`];
    return [`s."${name}" as "${name}_id"`, `${name}_names.name as "${name}"`];
  });
  const joins = named.map((name) => `left join ${dimensionOf(name).table} ${name}_names on ${name}_names.id = s."${name}"`);
  const names = columnsOf(groupBy, metrics).map(({ name }) => name);
  const order = [
    ...(sort ? [`${names.indexOf(sort.column) + 1} ${sort.descending ? 'desc nulls last' : 'asc nulls first'}`] : []),
    ...groupBy.map((name) => `s."${name}" nulls first`),
  ];
  return `select ${[...columns, ...metricsSql(question)].join(', ')} from s ${joins.join(' ')} ${order.length > 0 ? `order by ${order.join(', ')}` : ''}`;
};

const bindingsOf = ({ filters, from, to }: ReportQuestion): Readonly<Record<string, unknown>> => ({
  from,
  to,
  ...Object.fromEntries(filters.map(({ dimension, values }) => [`filter_${dimension}`, values])),
});

/** One row: `totals` with `row_count`, and `rows`, a page of them, both as JSON, in which a day is a text. */
export const pageStatement = (question: ReportQuestion, page: { readonly limit: number; readonly offset: number }): Statement => {
  const sums = sumsOf(question).map((sum) => `coalesce(sum(${sum}), 0) as ${sum}`);
  return {
    sql: `with ${summed(question)},
      totals as (select ${['s.row_count', ...metricsSql(question)].join(', ')} from (select count(*) as row_count, ${sums.join(', ')} from s) s)
      select (select to_jsonb(totals) from totals) as totals,
             (select coalesce(jsonb_agg(to_jsonb(page)), '[]') from (${rowsSql(question, (day) => day)} limit :limit offset :offset) page) as rows`,
    bindings: { ...bindingsOf(question), ...page },
  };
};

/** Every row. */
export const exportStatement = (question: ReportQuestion): Statement => ({
  sql: `with ${summed(question)} ${rowsSql(question, (day) => `to_char(${day}, 'YYYY-MM-DD')`)}`,
  bindings: bindingsOf(question),
});
