import type { ReportFields } from '../../src/reports/report-api.ts';

/** What the screen asks for: the parameters of GET /api/reports, taken apart. */
export interface ReportChoice {
  readonly range: string;
  /** With `range` '': the days. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly sort: string;
}

export const FIRST_CHOICE: ReportChoice = {
  ...{ range: 'last_30_days', from: '', to: '', groupBy: ['day'], filters: {}, sort: '' },
  metrics: ['impressions', 'clicks', 'ctr', 'revenue', 'ecpm'],
};

const listIn = (query: URLSearchParams, name: string, fallback: readonly string[]): readonly string[] =>
  query.has(name) ? query.getAll(name).flatMap((text) => text.split(',').filter(Boolean)) : fallback;

/** The choice in parameters of GET /api/reports; what they leave open is as at first. */
export const readChoice = (query: URLSearchParams): ReportChoice => {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const filters = [...new Set(query.keys())].flatMap((name) => {
    const [, dimension] = /^filter\[(\w+)\]$/.exec(name) ?? [];
    return dimension === undefined
      ? []
      : [[dimension, ['placement', 'deal'].includes(dimension) ? query.getAll(name) : listIn(query, name, [])] as const];
  });
  return {
    range: from === '' && to === '' ? (query.get('range') ?? FIRST_CHOICE.range) : '',
    ...{ from, to },
    groupBy: listIn(query, 'group_by', FIRST_CHOICE.groupBy),
    metrics: listIn(query, 'metrics', FIRST_CHOICE.metrics),
    filters: Object.fromEntries(filters),
    sort: query.get('sort') ?? '',
  };
};

/** The parameters of GET /api/reports. */
export const parametersOf = ({ range, from, to, groupBy, metrics, filters, sort }: ReportChoice) => ({
  ...{ group_by: groupBy.join(','), metrics: metrics.join(',') },
  ...(range === '' ? { from: from || undefined, to: to || undefined } : { range }),
  ...Object.fromEntries(Object.entries(filters).map(([dimension, values]) => [`filter[${dimension}]`, values] as const)),
  sort: sort || undefined,
});

/** The same as text, which the address of the screen and a saved report have. */
export const queryOf = (choice: ReportChoice): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parametersOf(choice)))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, one);
  return query;
};

/** The dimensions that a choice reads: those of its rows and of its filters. */
const named = ({ groupBy, filters }: ReportChoice): readonly string[] => [...groupBy, ...Object.keys(filters)];

/** Whether the service can answer the choice: its dimensions combine for all of its metrics. */
export const combines = ({ metrics, sets }: ReportFields, choice: ReportChoice): boolean => {
  const dimensions = named(choice);
  const chosen = metrics.filter(({ name }) => choice.metrics.includes(name));
  const isIn = (list: readonly string[]): boolean => dimensions.every((name) => list.includes(name));
  return (
    chosen.every((metric) => isIn(metric.dimensions)) &&
    chosen.flatMap((metric) => metric.of).every((of) => sets.some((set) => set.of === of && isIn(set.dimensions)))
  );
};

/** With a dimension added or removed. A choice that has none left keeps its days. */
export const toggleDimension = (choice: ReportChoice, name: string): ReportChoice => {
  const groupBy = choice.groupBy.includes(name) ? choice.groupBy.filter((one) => one !== name) : [...choice.groupBy, name];
  return { ...choice, groupBy: groupBy.length > 0 ? groupBy : ['day'], sort: '' };
};

/** With a metric added or removed, in the order of the fields; one stays. */
export const toggleMetric = (fields: ReportFields, choice: ReportChoice, name: string): ReportChoice => {
  const chosen = choice.metrics.includes(name) ? choice.metrics.filter((one) => one !== name) : [...choice.metrics, name];
  if (chosen.length === 0) return choice;
  return { ...choice, metrics: fields.metrics.flatMap((metric) => (chosen.includes(metric.name) ? [metric.name] : [])), sort: '' };
};

/** With a value added to a filter, or removed from it. */
export const toggleFilter = (choice: ReportChoice, dimension: string, value: string): ReportChoice => {
  const before = choice.filters[dimension] ?? [];
  const values = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const { [dimension]: _, ...others } = choice.filters;
  return { ...choice, filters: values.length > 0 ? { ...others, [dimension]: values } : others };
};
