import { AUDIT_FILTERS } from '../../bookings/audit-trail.ts';
import { MAX_OFFSET } from '../../bookings/list-query.ts';
import { QUALITY_REPORT_FILTERS } from '../../tracking/report-store.ts';
import { INSIGHT_PAGE, REPORT_FORMATS } from '../../delivery/insight-routes.ts';
import { REPORT_PAGE } from '../../reports/record-report/record-reports.ts';
import {
  CSV_CONTENT,
  idInPath,
  jsonAnswer,
  jsonContent,
  LINK,
  pageQuery,
  problems,
  query,
  READ_PROBLEMS,
  type PathItem,
  type Paths,
} from './operation.ts';
import { MAX_STATUSES } from '../../delivery/status/status-routes.ts';
import { listOf, oneOf, ref, text } from '../../api/schema.ts';

const page = pageQuery(INSIGHT_PAGE, MAX_OFFSET);

const reportPath = (schema: 'CampaignReport' | 'AdvertiserReport', summary: string): PathItem => ({
  parameters: [idInPath()],
  get: {
    operationId: `get${schema}`,
    tags: ['delivery'],
    summary,
    parameters: [
      query('from', { type: 'string', format: 'date' }, 'First UTC day; by default thirty days up to `to`'),
      query('to', { type: 'string', format: 'date' }, 'Last UTC day; by default today'),
      query('format', oneOf(REPORT_FORMATS), 'By default the format in Accept; CSV has all rows'),
      ...pageQuery(REPORT_PAGE, MAX_OFFSET),
    ],
    responses: {
      200: {
        description: 'The report: a page of its rows, and the totals of all pages',
        headers: LINK,
        content: { ...jsonContent(ref(schema)), ...CSV_CONTENT },
      },
      ...problems('invalid_request', 'not_found', ...READ_PROBLEMS),
    },
  },
});

const REFUSAL_DAYS_QUERY = [
  query('from', { type: 'string', format: 'date' }, 'First UTC day; by default `to`'),
  query('to', { type: 'string', format: 'date' }, 'Last UTC day; by default today'),
];

/** Delivery, reports of one record, complaints and the audit trail. */
export const insightPaths = (): Paths => ({
  '/api/line_items/{id}/delivery': {
    parameters: [idInPath()],
    get: {
      operationId: 'getLineItemDelivery',
      tags: ['delivery'],
      summary: 'Delivery of a line item: live figures of today, the last days, limits, pacing, and the status with its reasons',
      responses: { 200: jsonAnswer('Current delivery', ref('Delivery')), ...problems('not_found', ...READ_PROBLEMS) },
    },
  },
  '/api/attention': {
    get: {
      operationId: 'getAttention',
      tags: ['delivery'],
      summary: 'What needs attention, what has ended, and whether the service is well',
      responses: { 200: jsonAnswer('The same for people who ask within ten seconds', ref('Attention')), ...problems(...READ_PROBLEMS) },
    },
  },
  '/api/statuses': {
    get: {
      operationId: 'getStatuses',
      tags: ['delivery'],
      summary: 'The statuses of line items and campaigns with their reasons, and what the line items have delivered',
      parameters: [
        query('line_item_ids', text, `Ids separated by commas; at most ${MAX_STATUSES} with campaign_ids`),
        query('campaign_ids', text, 'Ids separated by commas'),
      ],
      responses: { 200: jsonAnswer('Statuses by id', ref('Statuses')), ...problems('invalid_request', ...READ_PROBLEMS) },
    },
  },
  '/api/line_items/{id}/refusals': {
    parameters: [idInPath()],
    get: {
      operationId: 'getLineItemRefusals',
      tags: ['delivery'],
      summary: 'Why a line item was not shown: impressions of its placements by reason and hour, what outranked it, and what would help',
      parameters: REFUSAL_DAYS_QUERY,
      responses: { 200: jsonAnswer('Refusals', ref('Refusals')), ...problems('invalid_request', 'not_found', ...READ_PROBLEMS) },
    },
  },
  '/api/placements/{id}/refusals': {
    parameters: [idInPath('string')],
    get: {
      operationId: 'getPlacementRefusals',
      tags: ['delivery'],
      summary: 'Why requests for a placement got no ad',
      parameters: REFUSAL_DAYS_QUERY,
      responses: { 200: jsonAnswer('Refusals', ref('PlacementRefusals')), ...problems('invalid_request', 'not_found', ...READ_PROBLEMS) },
    },
  },
  '/api/campaigns/{id}/report': reportPath('CampaignReport', 'Report of a campaign by day, line item and creative'),
  '/api/advertisers/{id}/report': reportPath('AdvertiserReport', 'Report of an advertiser by day and campaign, over all publishers'),
  '/api/complaints': {
    get: {
      operationId: 'listComplaints',
      tags: ['delivery'],
      summary: 'Complaints of users (quality reports) by creative and reason, most reported first',
      parameters: [...QUALITY_REPORT_FILTERS.map((name) => query(name, { type: 'integer' }, `Only this ${name}`)), ...page],
      responses: {
        200: jsonAnswer('Reported creatives', listOf(ref('ReportedCreative'))),
        ...problems('invalid_request', ...READ_PROBLEMS),
      },
    },
  },
  '/api/audit': {
    get: {
      operationId: 'listChanges',
      tags: ['delivery'],
      summary: 'Changes to the catalog and who made them, newest first',
      parameters: [...AUDIT_FILTERS.map((name) => query(name, { type: 'string' }, `Only this ${name}`)), ...page],
      responses: { 200: jsonAnswer('Changes', listOf(ref('AuditRow'))), ...problems('invalid_request', ...READ_PROBLEMS) },
    },
  },
  '/api/dimensions': {
    get: {
      operationId: 'getDimensions',
      tags: ['delivery'],
      summary: 'The registered dimensions',
      responses: { 200: jsonAnswer('A JSON Schema', ref('Dimensions')), ...problems(...READ_PROBLEMS) },
    },
  },
  '/api/openapi.json': {
    get: {
      operationId: 'getOpenApiDocument',
      tags: ['delivery'],
      summary: 'This document',
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        ...problems(...READ_PROBLEMS),
      },
    },
  },
});
