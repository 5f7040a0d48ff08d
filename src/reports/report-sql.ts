import type { Scope } from '../access/scope.ts';
import { isVisible, scopeBinding } from '../bookings/record-scope.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { RollUp } from '../events/postgres/roll-ups.ts';
import { nameOrLast } from '../events/postgres/gone-names.ts';
import { feeRows } from './fee-sql.ts';
import type { GivenRollUp, Statement } from './given-figures.ts';
import { dimensionOf, JOINS, type DimensionName, type Reading } from './report-dimensions.ts';
import { columnsOf, metricOf } from './report-fields.ts';
import type { ReportFilter, ReportQuestion } from './report-question.ts';
import { sumOf, SUMS, type SumName } from './report-sums.ts';

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

/** Rows `r` of one source with the dimensions and the sums of the report. `sqlOf` undefined: the source has no such sum. */
const partOf = (
  question: ReportQuestion,
  of: RollUp['of'],
  from: string,
  sqlOf: (sum: SumName) => string | undefined,
  where: readonly string[],
): string => {
  const { groupBy, filters } = question;
  const dimensions = groupBy.map((name) => `${readingOf(name, of).sql} as "${name}"`);
  const sums = sumsOf(question).map((sum) => `${sqlOf(sum) ?? '0::bigint'} as ${sum}`);
  const conditions = [...where, ...filters.map((filter) => conditionOf(filter, of))];
  return `select ${[...dimensions, ...sums].join(', ')} from ${from} r ${joinsOf([...groupBy, ...filters.map(({ dimension }) => dimension)], of)}
    ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}`;
};

const byOf = ({ sql, by = sql }: Reading): string => by;

const groupedBy = (expressions: readonly string[]): string => (expressions.length > 0 ? `group by ${expressions.join(', ')}` : '');

/**
 * The members of a WITH that end in `s`, the sums of the report by its dimensions, without rows in
 * which all are zero. A roll-up is summed before it is added to others: it has far more rows, which
 * Postgres can read in parallel.
 */
const summed = (question: ReportQuestion): string => {
  const { groupBy, filters, rollUps } = question;
  const sums = sumsOf(question);
  const fees = sums.includes('spend') ? feeRows(question) : undefined;
  const groupsOf = (of: RollUp['of']): string => groupedBy(groupBy.map((name) => byOf(readingOf(name, of))));
  const namesPlace = [...groupBy, ...filters.map(({ dimension }) => dimension)].some((name) => name === 'placement' || name === 'size');
  const parts = rollUps.map(({ of, table, keys }) => {
    const sqlOf = (name: SumName) => {
      const sum = sumOf(name);
      const placed = keys.includes('placement_id') ? sum.placed?.[namesPlace ? 0 : 1] : undefined;
      return sum.of === of ? `coalesce(${placed ?? sum.sql}, 0)` : undefined;
    };
    return `${partOf(question, of, table, sqlOf, ['r.day between :from::date and :to::date'])} ${groupsOf(of)}`;
  });
  if (fees !== undefined) {
    const sqlOf = (sum: SumName) => (sum === 'spend' ? 'coalesce(sum_bigint(r.fee), 0)' : undefined);
    parts.push(`${partOf(question, 'hits', 'fee_rows', sqlOf, [])} ${groupsOf('hits')}`);
  }
  const dimensions = groupBy.map((name) => `"${name}"`);
  const all =
    parts.length === 1
      ? parts[0]
      : `select ${[...dimensions, ...sums.map((sum) => `coalesce(sum_bigint(${sum}), 0) as ${sum}`)].join(', ')}
         from (${parts.join(' union all ')}) parts ${groupedBy(dimensions)}`;
  return `${fees === undefined ? '' : `${fees}, `}s as materialized (select * from (${all}) every where ${sums.map((sum) => `${sum} <> 0`).join(' or ')})`;
};

const metricsSql = ({ metrics }: ReportQuestion): readonly string[] => metrics.map((name) => `${metricOf(name).sql} as "${name}"`);

/** The records that a dimension names. A campaign that another advertiser has now keeps its new words from the one before. */
const recordsOf = (name: DimensionName, scope: Scope): string => {
  const { table } = dimensionOf(name);
  return table && BOOKED.includes(table) && scope.advertisers
    ? `(select id, name from ${table} where ${isVisible(table, scope)})`
    : (table ?? '');
};
const BOOKED: readonly EntityTable[] = ['campaigns', 'line_items', 'creatives'];

/** The name of a record of rows `s`. */
const nameOf = (name: DimensionName, alias: string): string => nameOrLast(dimensionOf(name).table ?? '', alias, `s."${name}"`);

/** The order of rows `s`. The names of records are looked up only to sort by them. */
const orderOf = ({ groupBy, metrics, sort, scope }: ReportQuestion): string => {
  const byDimensions = groupBy.map((name) => `s."${name}" nulls first`);
  if (!sort) return byDimensions.length > 0 ? `order by ${byDimensions.join(', ')}` : '';
  const dimension = groupBy.find((name) => columnsOf([name], []).some(({ name: column }) => column === sort.column));
  const metric = metrics.find((name) => name === sort.column);
  const isName = dimension !== undefined && dimensionOf(dimension).kind === 'id' && sort.column === dimension;
  const value = metric
    ? metricOf(metric).sql
    : isName
      ? `(select ${nameOf(dimension, 'sorted')} from (select) one left join ${recordsOf(dimension, scope)} sorted on sorted.id = s."${dimension}")`
      : `s."${dimension}"`;
  return `order by ${[`${value} ${sort.descending ? 'desc nulls last' : 'asc nulls first'}`, ...byDimensions].join(', ')}`;
};

/**
 * The rows in their order, with the columns of `columnsOf`.
 *
 * @param dayText makes a text of a day; rows are grouped and sorted by the date, which is faster
 * @param page a limit and an offset; names are looked up for its rows only
 */
const rowsSql = (question: ReportQuestion, dayText: (day: string) => string, page = ''): string => {
  const { groupBy } = question;
  const named = groupBy.filter((name) => dimensionOf(name).kind === 'id');
  const columns = groupBy.flatMap((name) => {
    const { kind, table } = dimensionOf(name);
    if (kind === 'day') return [`${dayText(`s."${name}"`)} as "${name}"`];
    if (kind !== 'id') return [`s."${name}" as "${table ? `${name}_id` : name}"`];
    return [`s."${name}" as "${name}_id"`, `${nameOf(name, `${name}_names`)} as "${name}"`];
  });
  const joins = named.map((name) => `left join ${recordsOf(name, question.scope)} ${name}_names on ${name}_names.id = s."${name}"`);
  const order = orderOf(question);
  const from = page === '' ? 's' : `(select * from s ${order} ${page}) s`;
  return `select ${[...columns, ...metricsSql(question)].join(', ')} from ${from} ${joins.join(' ')} ${order}`;
};

const bindingsOf = ({ filters, from, to, scope }: ReportQuestion): Readonly<Record<string, unknown>> => ({
  from,
  to,
  ...scopeBinding(scope),
  ...Object.fromEntries(filters.map(({ dimension, values }) => [`filter_${dimension}`, values])),
});

/** The question with the roll-ups that are given in place of those that it names, and these as members of a WITH. */
const withGiven = (question: ReportQuestion, given: readonly GivenRollUp[]) => ({
  asked: { ...question, rollUps: question.rollUps.map((one) => given.find(({ rollUp }) => rollUp.of === one.of)?.rollUp ?? one) },
  members: given.map(({ member }) => `${member.sql}, `).join(''),
  bindings: { ...bindingsOf(question), ...Object.assign({}, ...given.map(({ member }) => member.bindings)) } as Statement['bindings'],
});

/** One row: `totals` with `row_count`, `by_currency` as those of each, and `rows`, a page of them, all as JSON, in which a day is a text. */
export const pageStatement = (
  question: ReportQuestion,
  page: { readonly limit: number; readonly offset: number },
  given: readonly GivenRollUp[] = [],
): Statement => {
  const { asked, members, bindings } = withGiven(question, given);
  const sums = sumsOf(question).map((sum) => `coalesce(sum_bigint(${sum}), 0) as ${sum}`);
  const ofCurrency = ['s."currency"', ...metricsSql(question)].join(', ');
  const byCurrency = `(select coalesce(jsonb_agg(to_jsonb(one) order by one."currency"), '[]')
                       from (select ${ofCurrency} from (select "currency", ${sums.join(', ')} from s group by 1) s) one)`;
  return {
    sql: `with ${members}${summed(asked)},
      totals as (select ${['s.row_count', ...metricsSql(question)].join(', ')} from (select count(*) as row_count, ${sums.join(', ')} from s) s)
      select (select to_jsonb(totals) from totals) as totals, ${question.groupBy.includes('currency') ? byCurrency : `'[]'::jsonb`} as by_currency,
             (select coalesce(jsonb_agg(to_jsonb(page)), '[]') from (${rowsSql(question, (day) => day, 'limit :limit offset :offset')}) page) as rows`,
    bindings: { ...bindings, ...page },
  };
};

/** Every row. */
export const exportStatement = (question: ReportQuestion, given: readonly GivenRollUp[] = []): Statement => {
  const { asked, members, bindings } = withGiven(question, given);
  return { sql: `with ${members}${summed(asked)} ${rowsSql(question, (day) => `to_char(${day}, 'YYYY-MM-DD')`)}`, bindings };
};
