import { component } from '../api/component.ts';
import { FILE_CONTENT, LINK } from '../api/openapi-document.ts';
import { choiceOr, ownQuery, pageQuery } from '../api/parameters.ts';
import { at, defineRoutes, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { SHARED_CAMPAIGNS } from './shared-campaigns-api.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { ROLL_UP_SOURCES } from '../events/postgres/roll-ups.ts';
import { PAYER_CHANGE } from './payer-changes.ts';
import { DIMENSION_NAMES, dimensionOf } from './report-dimensions.ts';
import { columnsOf, METRIC_NAMES, metricOf, type ReportColumn } from './report-fields.ts';
import { MAX_FILTER_VALUES, MAX_GROUPS, MAX_HOURLY_DAYS, MAX_REPORT_DAYS, RANGE_NAMES } from './report-question.ts';
import type { ReportRow } from './shown-row.ts';
import { MAX_XLSX_ROWS } from './write-report.ts';

/** Formats of a report, the default first. */
export const REPORT_FORMATS = ['json', 'csv', 'xlsx'] as const;
/** Rows of a page of JSON. */
const REPORT_PAGE = { default: 500, max: 1_000 };

const CELLS: Readonly<Record<ReportColumn['kind'], s.Schema>> = {
  day: s.textOf({ format: 'date' }),
  month: s.textOf({ pattern: '^\\d{4}-\\d{2}$' }),
  hour: s.described(s.text, 'RFC 3339 in the time zone of the report, without seconds'),
  id: s.orNull(s.integer),
  ...{ text: s.orNull(s.text), name: s.orNull(s.text) },
  ...{ count: s.count, share: s.number },
  money: s.orNull(s.number, { description: 'In the currency of the report, or of the row; null: a total of several currencies' }),
};

const cellOf = (column: string, kind: ReportColumn['kind']): s.Schema => {
  const absent = METRIC_NAMES.filter((name) => name === column).map((name) => metricOf(name).absent)[0];
  return absent === undefined ? CELLS[kind] : s.orNull(CELLS[kind], { description: `null: ${absent}` });
};

/** Every column that a report can have, none of them required. */
const reportRow = (more: object) =>
  s.objectAs<ReportRow>({
    properties: Object.fromEntries(
      columnsOf(DIMENSION_NAMES, METRIC_NAMES).map(({ name, label, kind }) => [name, { ...cellOf(name, kind), title: label }]),
    ),
    additionalProperties: false,
    ...more,
  });

const REPORT = component(
  'Report',
  s.record({
    from: s.day,
    to: s.day,
    time_zone: s.described(s.text, 'Of the publishers of the report; UTC when they have several'),
    currency: s.orNull(s.text, { description: 'Of its amounts, ISO 4217; null: they are in several, which the rows name' }),
    group_by: s.described(s.listOf(s.oneOf(DIMENSION_NAMES)), 'As asked for; amounts of several currencies are by `currency` too'),
    metrics: s.listOf(s.oneOf(METRIC_NAMES)),
    filter: s.mapOf(s.listOf(s.text)),
    columns: s.listOf(
      s.record({ name: s.text, label: s.text, kind: s.oneOf(['day', 'hour', 'month', 'id', 'text', 'name', 'count', 'share', 'money']) }),
    ),
    complete_until: s.described(s.moment, 'Hits that were stored until then are in the figures'),
    source: s.described(s.oneOf(['postgres', 'clickhouse']), 'Where its hits are read from; ClickHouse where REPORTS_URL is set'),
    source_note: s.orNull(s.text, { description: 'Why not from ClickHouse, where REPORTS_URL is set' }),
    row_count: s.described(s.count, 'Of all pages'),
    rows: s.listOf(reportRow({ minProperties: 1 })),
    totals: reportRow({ description: 'Of all pages' }),
    totals_by_currency: s.listOf(reportRow({}), { description: 'Of a report with several currencies: the totals of each; else empty' }),
    payer_changes: s.listOf(PAYER_CHANGE, {
      description:
        'Of a report that names advertisers: campaigns that others pay for since a moment of its days; what was counted before stays as it was',
    }),
  }),
  {
    ...{
      from: '2026-10-01',
      to: '2026-10-31',
      time_zone: 'Europe/Berlin',
      currency: 'EUR',
      group_by: ['campaign'],
      metrics: ['impressions', 'revenue'],
    },
    filter: { publisher: ['1'] },
    columns: [
      { name: 'campaign_id', label: 'Campaign id', kind: 'id' },
      { name: 'campaign', label: 'Campaign', kind: 'name' },
      { name: 'impressions', label: 'Impressions', kind: 'count' },
      { name: 'revenue', label: 'Revenue', kind: 'money' },
    ],
    complete_until: '2026-11-01T08:59:41.250Z',
    ...{ source: 'postgres', source_note: null },
    row_count: 1,
    rows: [{ campaign_id: 3, campaign: 'Boots, autumn', impressions: 58_100, revenue: 261.45 }],
    totals: { impressions: 58_100, revenue: 261.45 },
    totals_by_currency: [],
    payer_changes: [],
  },
);
/** A page of a report. */
export type ReportAnswer = s.Shape<typeof REPORT>;

const REPORT_FIELDS = component(
  'ReportFields',
  s.record({
    dimensions: s.listOf(
      s.record({
        name: s.oneOf(DIMENSION_NAMES),
        label: s.text,
        kind: s.text,
        past: s.described(s.text, 'What it says of what was counted earlier'),
        table: s.orNull(s.textOf<EntityTable>()),
        filter: s.described(s.boolean, 'It can be a filter'),
      }),
    ),
    metrics: s.listOf(
      s.record({
        name: s.oneOf(METRIC_NAMES),
        ...{ label: s.text, kind: s.text, help: s.text },
        of: s.described(s.listOf(s.oneOf(ROLL_UP_SOURCES)), 'The figures that it is made from'),
        dimensions: s.described(s.listOf(s.oneOf(DIMENSION_NAMES)), 'What it can be grouped and filtered by'),
      }),
    ),
    sets: s.described(
      s.listOf(s.record({ of: s.oneOf(ROLL_UP_SOURCES), dimensions: s.listOf(s.oneOf(DIMENSION_NAMES)) })),
      'Dimensions that combine',
    ),
    ranges: s.listOf(s.record({ name: s.oneOf(RANGE_NAMES), label: s.text })),
  }),
  {
    dimensions: [{ name: 'campaign', label: 'Campaign', kind: 'id', past: dimensionOf('campaign').past, table: 'campaigns', filter: true }],
    metrics: [{ name: 'impressions', label: 'Impressions', kind: 'count', help: 'Net', of: ['hits'], dimensions: ['day', 'campaign'] }],
    sets: [{ of: 'hits', dimensions: ['day', 'campaign'] }],
    ranges: [{ name: 'last_30_days', label: 'Last 30 days' }],
  },
);
/** The dimensions and metrics of reports, with their words. */
export type ReportFields = s.Shape<typeof REPORT_FIELDS>;

const listQuery = (values: readonly string[], maxItems: number, description: string) =>
  ownQuery(s.listOf(s.oneOf(values), { minItems: 1, maxItems }), description, 'commas');
const filterQueries = Object.fromEntries(
  DIMENSION_NAMES.filter((name) => dimensionOf(name).accepts).map((name) => {
    const how = dimensionOf(name).unsplit ? 'repeated' : 'separated by commas or repeated';
    return [`filter[${name}]` as const, ownQuery(s.text, `Only these: up to ${MAX_FILTER_VALUES} values, ${how}`)];
  }),
);
const formatQueries = {
  format: choiceOr('json', REPORT_FORMATS, `CSV has all rows, Excel up to ${MAX_XLSX_ROWS.toLocaleString('en')}`),
  ...pageQuery(REPORT_PAGE),
};
const asPageOrFile = { headers: LINK, files: FILE_CONTENT };

/** Reports. Their questions are read by `readReportQuestion`, as those of saved reports and of links are. */
export const REPORT_API = defineRoutes({
  getReport: {
    ...at('GET', '/api/reports', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    cost: 'report',
    summary: 'Figures by up to five dimensions, from roll-ups that are written with the events',
    parameters: {
      from: ownQuery(
        s.textOf({ format: 'date' }),
        `First day of the publisher, at most ${MAX_REPORT_DAYS} days before the last, by hour ${MAX_HOURLY_DAYS}`,
      ),
      to: ownQuery(s.textOf({ format: 'date' }), 'Last day of the publisher; by default today'),
      range: ownQuery(s.oneOf(RANGE_NAMES), 'In place of from and to; by default last_30_days, by hour today'),
      group_by: listQuery(DIMENSION_NAMES, MAX_GROUPS, 'Dimensions, in the order of the rows; by default day'),
      metrics: listQuery(METRIC_NAMES, METRIC_NAMES.length, 'Figures; those without a prefix are net'),
      ...filterQueries,
      sort: ownQuery(s.text, 'A column of the answer; with - for descending'),
      ...formatQueries,
    },
    answer: ok('The report: a page of its rows, and the totals of all pages', REPORT, asPageOrFile),
  },
  getReportFields: {
    ...at('GET', '/api/reports/fields', 'delivery'),
    needs: 'reports.read',
    reach: 'any',
    summary: `The dimensions and metrics of reports, such as ${metricOf('requests').label.toLowerCase()}, with what combines`,
    answer: ok('Dimensions, metrics and ranges', REPORT_FIELDS),
  },
});

/** What everyone who has a read-only link may ask for. */
export const SHARED_REPORT_API = defineRoutes({
  getSharedCampaigns: {
    ...at('GET', '/shared_report/campaigns', 'delivery'),
    access: 'report_link',
    cost: 'report',
    summary: 'The campaigns in the report of a read-only link: their course over the flight, their creatives, and where they run',
    answer: ok('Campaigns', SHARED_CAMPAIGNS),
    problems: ['invalid_link', 'invalid_request', 'too_many_requests', 'unavailable'],
  },
  getSharedReport: {
    ...at('GET', '/shared_report', 'delivery'),
    access: 'report_link',
    cost: 'report',
    summary: 'The report of a read-only link; its token is the bearer token',
    parameters: formatQueries,
    answer: ok('The report of the link', REPORT, asPageOrFile),
    problems: ['invalid_link', 'invalid_request', 'too_many_requests', 'unavailable'],
  },
});
