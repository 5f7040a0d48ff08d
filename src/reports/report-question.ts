import { EVERYTHING, type Scope } from '../access/scope.ts';
import { pointerStep, type Fault } from '../base/fault.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { REPORT_HOURS_DAYS, ROLL_UPS, type RollUp, type RollUpSource } from '../events/postgres/roll-ups.ts';
import { DIMENSION_NAMES, dimensionOf, type DimensionName } from './report-dimensions.ts';
import { hasDimension, whyNot } from './metric-dimensions.ts';
import { columnsOf, METRIC_NAMES, metricOf, type MetricName } from './report-fields.ts';
import { SUMS } from './report-sums.ts';

/** What a report is asked for, checked. */
export interface ReportQuestion {
  readonly groupBy: readonly DimensionName[];
  readonly metrics: readonly MetricName[];
  readonly filters: readonly ReportFilter[];
  /** Of who asks: it is filtered by it, too. */
  readonly scope: Scope;
  /** First and last day of the publishers, both included: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** A column of the answer; undefined: the dimensions in their order. */
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  /** The roll-ups that answer it. */
  readonly rollUps: readonly RollUp[];
}

export interface ReportFilter {
  readonly dimension: DimensionName;
  readonly values: readonly string[];
}

/** The records that a report is narrowed to; null: all. */
export const idsIn = ({ filters }: Pick<ReportQuestion, 'filters'>, name: DimensionName): readonly number[] | null =>
  filters.find(({ dimension }) => dimension === name)?.values.map(Number) ?? null;

export const MAX_GROUPS = 5;
export const MAX_REPORT_DAYS = 400;
export const MAX_HOURLY_DAYS = 31;
export const MAX_FILTER_VALUES = 100;
const DEFAULT_METRICS: readonly MetricName[] = ['impressions', 'clicks', 'ctr', 'revenue'];
/** Days that move with the calendar: the first and the last one, given today. `range` in place of `from` and `to`. */
export const RANGES = {
  today: { label: 'Today', days: (today: number) => [today, today] },
  yesterday: { label: 'Yesterday', days: (today: number) => [today - 1, today - 1] },
  last_7_days: { label: 'Last 7 days', days: (today: number) => [today - 6, today] },
  last_30_days: { label: 'Last 30 days', days: (today: number) => [today - 29, today] },
  last_90_days: { label: 'Last 90 days', days: (today: number) => [today - 89, today] },
  last_365_days: { label: 'Last 365 days', days: (today: number) => [today - 364, today] },
  last_week: { label: 'Last week', days: (today: number) => [mondayOf(today) - 7, mondayOf(today) - 1] },
  this_month: { label: 'This month', days: (today: number) => [monthOf(today), today] },
  last_month: { label: 'Last month', days: (today: number) => [monthOf(monthOf(today) - 1), monthOf(today) - 1] },
  this_year: { label: 'This year', days: (today: number) => [yearOf(today), today] },
  last_year: { label: 'Last year', days: (today: number) => [yearOf(yearOf(today) - 1), yearOf(today) - 1] },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly days: (today: number) => readonly [number, number] }>>;

export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[];
const DEFAULT_RANGE: RangeName = 'last_30_days';
const DEFAULT_HOURLY_RANGE: RangeName = 'today';

/** Day 0, 1970-01-01, was a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);
const monthOf = (day: number): number => dayOf(Date.parse(`${dateOfDay(day).slice(0, 7)}-01`));
const yearOf = (day: number): number => dayOf(Date.parse(`${dateOfDay(day).slice(0, 4)}-01-01`));

const UNSPLIT = DIMENSION_NAMES.filter((name) => dimensionOf(name).unsplit).map((name) => `filter[${name}]`);
/** Parameters of the answer, which others read. */
const OTHER_PARAMETERS = ['format', 'limit', 'offset'];

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * The question in query parameters: `from` and `to` or `range`, `group_by`, `metrics`,
 * `filter[<dimension>]` and `sort`. Lists are separated by commas or repeated; UNSPLIT ones are repeated.
 *
 * @param today the current day, counted from 1970-01-01
 * @param scope of who asks
 */
export const readReportQuestion = (search: URLSearchParams, today: number, scope: Scope = EVERYTHING): Read<ReportQuestion> => {
  const faults: Fault[] = [];
  const listOf = (name: string): readonly string[] =>
    search
      .getAll(name)
      .flatMap((text) => (UNSPLIT.includes(name) ? [text] : text.split(',')))
      .filter((text) => text !== '');
  const namesIn = <Name extends string>(parameter: string, known: readonly Name[], what: string): readonly Name[] =>
    [...new Set(listOf(parameter))].flatMap((name, i) => {
      const found = known.find((one) => one === name);
      if (found !== undefined) return [found];
      faults.push({ pointer: `/${parameter}/${i}`, detail: `must be a ${what}: ${known.join(', ')}` });
      return [];
    });

  const groupBy = search.has('group_by') ? namesIn('group_by', DIMENSION_NAMES, 'dimension') : (['day'] as const);
  if (groupBy.length > MAX_GROUPS) faults.push({ pointer: '/group_by', detail: `must have at most ${MAX_GROUPS} dimensions` });
  const given = namesIn('metrics', METRIC_NAMES, 'metric');
  const metrics = given.length > 0 || search.has('metrics') ? given : DEFAULT_METRICS;
  if (metrics.length === 0 && faults.length === 0) faults.push({ pointer: '/metrics', detail: 'must have a metric' });

  const filters: ReportFilter[] = [];
  for (const parameter of new Set(search.keys())) {
    const [, dimension] = /^filter\[(.*)\]$/.exec(parameter) ?? [];
    if (dimension !== undefined) {
      const filter = readFilter(dimension, listOf(parameter), faults);
      if (filter) filters.push(filter);
    } else if (!['from', 'to', 'range', 'group_by', 'metrics', 'sort', ...OTHER_PARAMETERS].includes(parameter))
      faults.push({ pointer: pointerStep(parameter), detail: 'is not a known parameter' });
  }

  for (const [dimension, ids] of [
    ['publisher', scope.publishers],
    ['advertiser', scope.advertisers],
  ] as const)
    if (ids && !filters.some((filter) => filter.dimension === dimension)) filters.push({ dimension, values: ids.map(String) });

  const byHour = groupBy.some((name) => name === 'hour');
  const days = readDays(search, today, byHour, faults);
  const sort = readSort(
    search.get('sort'),
    columnsOf(groupBy, metrics).map(({ name }) => name),
    faults,
  );
  if (faults.length > 0 || !days) return { ok: false, faults };
  const rollUps = rollUpsFor(groupBy, metrics, filters, faults);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: { groupBy, metrics, filters, scope, ...days, sort, rollUps } };
};

const readFilter = (name: string, values: readonly string[], faults: Fault[]): ReportFilter | undefined => {
  const pointer = `/filter${pointerStep(name)}`;
  const dimension = DIMENSION_NAMES.find((one) => one === name);
  const accepts = dimension && dimensionOf(dimension).accepts;
  const filterable = DIMENSION_NAMES.filter((one) => dimensionOf(one).accepts);
  if (!dimension || !accepts) {
    const detail = dimension ? 'is no filter: use from and to' : `must be one of: ${filterable.join(', ')}`;
    faults.push({ pointer, detail });
    return undefined;
  }
  if (values.length === 0 || values.length > MAX_FILTER_VALUES)
    faults.push({ pointer, detail: `must have 1 to ${MAX_FILTER_VALUES} values` });
  for (const [i, value] of values.entries()) if (!accepts.test(value)) faults.push({ pointer: `${pointer}/${i}`, detail: accepts.detail });
  return { dimension, values };
};

const readDays = (
  search: URLSearchParams,
  today: number,
  byHour: boolean,
  faults: Fault[],
): { readonly from: string; readonly to: string } | undefined => {
  const read = (name: string): number | undefined => {
    const text = search.get(name) ?? '';
    if (text === '') return undefined;
    const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayOf(Date.parse(text)) : Number.NaN;
    if (Number.isFinite(day) && dateOfDay(day) === text) return day;
    faults.push({ pointer: `/${name}`, detail: 'must be a day such as 2026-11-20' });
    return undefined;
  };
  const before = faults.length;
  const range = search.get('range') ?? '';
  if (range !== '' && !isRange(range)) faults.push({ pointer: '/range', detail: `must be one of: ${RANGE_NAMES.join(', ')}` });
  else if (range !== '' && (search.has('from') || search.has('to')))
    faults.push({ pointer: '/range', detail: 'must not be given with from or to' });
  const [first, last] = RANGES[isRange(range) ? range : byHour ? DEFAULT_HOURLY_RANGE : DEFAULT_RANGE].days(today);
  const to = read('to') ?? last;
  const max = byHour ? MAX_HOURLY_DAYS : MAX_REPORT_DAYS;
  const from = read('from') ?? to - (last - first);
  if (faults.length > before) return undefined;
  if (from > to) faults.push({ pointer: '/from', detail: 'must not be after to' });
  else if (to - from >= max)
    faults.push({ pointer: '/from', detail: `must be at most ${max} days before the end${byHour ? ' of a report by hour' : ''}` });
  else if (byHour && from < today - REPORT_HOURS_DAYS)
    faults.push({ pointer: '/from', detail: `must be within the last ${REPORT_HOURS_DAYS} days: hours are not kept for longer` });
  return { from: dateOfDay(from), to: dateOfDay(to) };
};

const isRange = (text: string): text is RangeName => RANGE_NAMES.some((name) => name === text);

const readSort = (text: string | null, columns: readonly string[], faults: Fault[]): ReportQuestion['sort'] => {
  if (text === null || text === '') return undefined;
  const column = text.replace(/^-/, '');
  if (!columns.includes(column))
    faults.push({ pointer: '/sort', detail: `must be a column of the report, with - for descending: ${columns.join(', ')}` });
  return { column, descending: text.startsWith('-') };
};

const LABELS: Readonly<Record<RollUpSource, string>> = {
  ...{ hits: 'delivery', plays: 'plays', requests: 'requests', bids: 'bids' },
  ...{ forecasts: 'forecasts of line items', request_forecasts: 'forecasts of requests' },
};

/** Of each kind of figures, the smallest roll-up that has all dimensions. */
const rollUpsFor = (
  groupBy: readonly DimensionName[],
  metrics: readonly MetricName[],
  filters: readonly ReportFilter[],
  faults: Fault[],
): readonly RollUp[] => {
  const named = [...new Set([...groupBy, ...filters.map(({ dimension }) => dimension)])];
  for (const [i, metric] of metrics.entries()) {
    const missing = named.filter((name) => !hasDimension(metric, name));
    if (missing.length === 0) continue;
    const possible = DIMENSION_NAMES.filter((name) => hasDimension(metric, name));
    const why = [...new Set(missing.map((name) => whyNot(metric, name)))].join('; ');
    faults.push({
      pointer: `/metrics/${i}`,
      detail: `${metric} is not known by ${missing.join(', ')}; it is known by ${possible.join(', ')}: ${why}`,
    });
  }
  if (faults.length > 0) return [];
  const kinds = new Set(metrics.flatMap((metric) => metricOf(metric).sums.map((sum) => SUMS[sum].of)));
  return [...kinds].flatMap((of) => {
    const needs = named.flatMap((name) => dimensionOf(name).in[of]?.needs ?? []);
    const rollUp = ROLL_UPS.find((one) => one.of === of && needs.every((key) => one.keys.includes(key)));
    if (!rollUp) faults.push({ pointer: '/group_by', detail: cannotCombine(of, named) });
    return rollUp ?? [];
  });
};

const dimensionsOf = ({ of, keys }: RollUp): readonly DimensionName[] =>
  DIMENSION_NAMES.filter((name) => dimensionOf(name).in[of]?.needs.every((key) => keys.includes(key)));

/** The dimensions of roll-ups: those of one set combine. A roll-up whose dimensions another one has too is no set. */
export const DIMENSION_SETS = ROLL_UPS.filter(
  ({ of, keys }) =>
    !ROLL_UPS.some((other) => other.of === of && other.keys.length > keys.length && keys.every((key) => other.keys.includes(key))),
).map((rollUp) => ({ of: rollUp.of, dimensions: dimensionsOf(rollUp) }));

const cannotCombine = (of: RollUp['of'], named: readonly DimensionName[]): string => {
  const sets = DIMENSION_SETS.filter((set) => set.of === of).map(({ dimensions }) => dimensions.join(', '));
  return `${named.join(', ')} cannot be combined for ${LABELS[of]}, which is counted by one of these sets: ${sets.join('; ')}`;
};

/** The metrics that a report may have, for the choices of the page. */
export const describeMetric = (name: MetricName) => ({
  name,
  label: metricOf(name).label,
  kind: metricOf(name).kind,
  help: metricOf(name).help,
  of: [...new Set(metricOf(name).sums.map((sum) => SUMS[sum].of))],
  dimensions: DIMENSION_NAMES.filter((dimension) => hasDimension(name, dimension)),
});
