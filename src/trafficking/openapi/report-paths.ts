import { ROLL_UP_SOURCES } from '../../events/postgres/roll-ups.ts';
import { MAX_OFFSET } from '../../bookings/list-query.ts';
import { DEFAULT_LINK_DAYS, MAX_LINK_DAYS } from '../../reports/report-links.ts';
import { DIMENSION_NAMES, dimensionOf } from '../../reports/report-dimensions.ts';
import { columnsOf, METRIC_NAMES, metricOf } from '../../reports/report-fields.ts';
import { MAX_FILTER_VALUES, MAX_GROUPS, MAX_HOURLY_DAYS, MAX_REPORT_DAYS, RANGE_NAMES } from '../../reports/report-question.ts';
import { REPORT_FORMATS, REPORT_PAGE } from '../../reports/report-routes.ts';
import { SAVED_REPORT_SCHEMA } from '../../reports/saved-report.ts';
import {
  BODY_PROBLEMS,
  FILE_CONTENT,
  idInPath,
  jsonAnswer,
  jsonBody,
  jsonContent,
  LINK,
  pageQuery,
  problems,
  query,
  READ_PROBLEMS,
  WRITE_PROBLEMS,
  type Paths,
} from './operation.ts';
import { boolean, count, day, integer, listOf, moment, number, oneOf, orNull, record, ref, text, type Schema } from '../../api/schema.ts';

const listParameter = (name: string, values: readonly string[], maxItems: number, description: string): object => ({
  ...query(name, { type: 'array', items: oneOf(values), minItems: 1, maxItems }, description),
  style: 'form',
  explode: false,
});

/** Every column that a report can have, none of them required. */
const reportRow = (required: boolean): Schema => {
  const columns = columnsOf(DIMENSION_NAMES, METRIC_NAMES);
  const schemaOf = (kind: (typeof columns)[number]['kind']): Schema => {
    if (kind === 'day') return { type: 'string', format: 'date' };
    if (kind === 'month') return { type: 'string', pattern: '^\\d{4}-\\d{2}$' };
    if (kind === 'hour') return { type: 'string', description: 'RFC 3339 in the time zone of the report, without seconds' };
    if (kind === 'id') return orNull('integer');
    return kind === 'text' || kind === 'name' ? orNull('string') : kind === 'count' ? count : number;
  };
  return {
    type: 'object',
    ...(required && { minProperties: 1 }),
    properties: Object.fromEntries(columns.map(({ name, label, kind }) => [name, { ...schemaOf(kind), title: label }])),
    additionalProperties: false,
  };
};

const savedAnswer = {
  ...SAVED_REPORT_SCHEMA.properties,
  id: { ...integer, readOnly: true },
  owner: { ...text, readOnly: true, description: 'Who saved it: the name of the token' },
  due_at: { ...orNull('string'), readOnly: true, description: 'The next time of the schedule' },
  last_at: { ...orNull('string'), readOnly: true, description: 'The last attempt to send it' },
  last_fault: { ...orNull('string'), readOnly: true, description: 'Why that attempt failed; null: it did not' },
  webhook_secret: { ...text, readOnly: true, description: 'The key of X-Report-Signature. Returned only when it is made' },
};

/** Component schemas of reports. */
export const REPORT_SCHEMAS = {
  Report: record({
    from: day,
    to: day,
    time_zone: { ...text, description: 'Of the publishers of the report; UTC when they have several' },
    group_by: listOf(oneOf(DIMENSION_NAMES)),
    metrics: listOf(oneOf(METRIC_NAMES)),
    filter: { type: 'object', additionalProperties: listOf(text) },
    columns: listOf(
      record({ name: text, label: text, kind: oneOf(['day', 'hour', 'month', 'id', 'text', 'name', 'count', 'share', 'usd']) }),
    ),
    row_count: { ...count, description: 'Of all pages' },
    rows: listOf(reportRow(true)),
    totals: { ...reportRow(false), description: 'Of all pages' },
  }),
  ReportFields: record({
    dimensions: listOf(
      record({
        name: oneOf(DIMENSION_NAMES),
        label: text,
        kind: text,
        table: orNull('string'),
        filter: { ...boolean, description: 'It can be a filter' },
      }),
    ),
    metrics: listOf(
      record({
        name: oneOf(METRIC_NAMES),
        label: text,
        kind: text,
        help: text,
        of: { ...listOf(oneOf(ROLL_UP_SOURCES)), description: 'The figures that it is made from' },
        dimensions: { ...listOf(oneOf(DIMENSION_NAMES)), description: 'What it can be grouped and filtered by' },
      }),
    ),
    sets: {
      ...listOf(record({ of: oneOf(ROLL_UP_SOURCES), dimensions: listOf(oneOf(DIMENSION_NAMES)) })),
      description: 'Dimensions that combine',
    },
    ranges: listOf(record({ name: oneOf(RANGE_NAMES), label: text })),
  }),
  SavedReport: { ...SAVED_REPORT_SCHEMA, properties: savedAnswer },
  ReportLinkRequest: {
    type: 'object',
    required: ['advertiser_id', 'query'],
    additionalProperties: false,
    properties: {
      advertiser_id: integer,
      title: { type: 'string', maxLength: 128, description: 'By default the name of the advertiser' },
      query: { type: 'string', maxLength: 4096, description: 'The parameters of GET /api/reports' },
      days: { type: 'integer', minimum: 1, maximum: MAX_LINK_DAYS, default: DEFAULT_LINK_DAYS },
    },
  },
  ReportLink: record({ token: text, url: text, expires: moment }),
};

const formatParameters = [
  query('format', { ...oneOf(REPORT_FORMATS), default: 'json' }, 'CSV has all rows, Excel up to 10,000'),
  ...pageQuery(REPORT_PAGE, MAX_OFFSET),
];
const answer = (description: string) => ({ description, headers: LINK, content: { ...jsonContent(ref('Report')), ...FILE_CONTENT } });

/** Reports, saved reports and read-only links. */
export const reportPaths = (): Paths => ({
  '/api/reports': {
    get: {
      operationId: 'getReport',
      tags: ['delivery'],
      summary: 'Figures by up to five dimensions, from roll-ups that are written with the events',
      parameters: [
        query(
          'from',
          { type: 'string', format: 'date' },
          `First day of the publisher, at most ${MAX_REPORT_DAYS} days before the last, by hour ${MAX_HOURLY_DAYS}`,
        ),
        query('to', { type: 'string', format: 'date' }, 'Last day of the publisher; by default today'),
        query('range', oneOf(RANGE_NAMES), 'In place of from and to; by default last_30_days, by hour today'),
        listParameter('group_by', DIMENSION_NAMES, MAX_GROUPS, 'Dimensions, in the order of the rows; by default day'),
        listParameter('metrics', METRIC_NAMES, METRIC_NAMES.length, 'Figures; those without a prefix are net'),
        ...DIMENSION_NAMES.filter((name) => dimensionOf(name).accepts).map((name) =>
          query(
            `filter[${name}]`,
            { type: 'string' },
            `Only these: up to ${MAX_FILTER_VALUES} values, ${dimensionOf(name).unsplit ? 'repeated' : 'separated by commas or repeated'}`,
          ),
        ),
        query('sort', { type: 'string' }, 'A column of the answer; with - for descending'),
        ...formatParameters,
      ],
      responses: {
        200: answer('The report: a page of its rows, and the totals of all pages'),
        ...problems('invalid_request', ...READ_PROBLEMS),
      },
    },
  },
  '/api/reports/fields': {
    get: {
      operationId: 'getReportFields',
      tags: ['delivery'],
      summary: `The dimensions and metrics of reports, such as ${metricOf('requests').label.toLowerCase()}, with what combines`,
      responses: { 200: jsonAnswer('Dimensions, metrics and ranges', ref('ReportFields')), ...problems(...READ_PROBLEMS) },
    },
  },
  '/api/saved_reports': {
    get: {
      operationId: 'listSavedReports',
      tags: ['delivery'],
      summary: 'Saved reports, by name',
      responses: { 200: jsonAnswer('Saved reports', listOf(ref('SavedReport'))), ...problems(...READ_PROBLEMS) },
    },
    post: {
      operationId: 'createSavedReport',
      tags: ['delivery'],
      summary: 'Saves a report, and schedules it by e-mail or webhook',
      requestBody: jsonBody(ref('SavedReport')),
      responses: { 201: jsonAnswer('The saved report', ref('SavedReport')), ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
  },
  '/api/saved_reports/{id}': {
    parameters: [idInPath()],
    get: {
      operationId: 'getSavedReport',
      tags: ['delivery'],
      summary: 'One saved report',
      responses: { 200: jsonAnswer('The saved report', ref('SavedReport')), ...problems('not_found', ...READ_PROBLEMS) },
    },
    put: {
      operationId: 'replaceSavedReport',
      tags: ['delivery'],
      summary: 'Replaces a saved report; another webhook gets another secret',
      requestBody: jsonBody(ref('SavedReport')),
      responses: { 200: jsonAnswer('The saved report', ref('SavedReport')), ...problems('not_found', ...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
    delete: {
      operationId: 'deleteSavedReport',
      tags: ['delivery'],
      summary: 'Deletes a saved report with its schedule',
      responses: { 204: { description: 'Deleted' }, ...problems('not_found', ...WRITE_PROBLEMS) },
    },
  },
  '/api/saved_reports/{id}/send': {
    parameters: [idInPath()],
    post: {
      operationId: 'sendSavedReport',
      tags: ['delivery'],
      summary: 'Sends a scheduled report now; its schedule goes on',
      responses: { 202: jsonAnswer('It will be sent within a minute', ref('SavedReport')), ...problems('not_found', ...WRITE_PROBLEMS) },
    },
  },
  '/api/report_links': {
    post: {
      operationId: 'createReportLink',
      tags: ['delivery'],
      summary: 'A read-only link to a report of one advertiser; the audit trail names who shared it',
      requestBody: jsonBody(ref('ReportLinkRequest')),
      responses: { 201: jsonAnswer('The link', ref('ReportLink')), ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
  },
  '/shared_report': {
    get: {
      operationId: 'getSharedReport',
      tags: ['delivery'],
      summary: 'The report of a read-only link; its token is the bearer token',
      security: [{ reportLink: [] }],
      parameters: formatParameters,
      responses: {
        200: answer('The report of the link'),
        ...problems('invalid_link', 'invalid_request', 'too_many_requests', 'unavailable'),
      },
    },
  },
});
