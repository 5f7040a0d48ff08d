import { AUDIT_FILTERS } from '../entities/audit-trail.ts';
import { MAX_OFFSET } from '../entities/list-query.ts';
import { QUALITY_REPORT_FILTERS } from '../../tracking/report-store.ts';
import { INSIGHT_PAGE, REPORT_FORMATS } from '../insight/insight-routes.ts';
import { REPORT_PAGE } from '../insight/reports.ts';
import {
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
import { listOf, oneOf, ref } from './schema.ts';

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
        content: { ...jsonContent(ref(schema)), 'text/csv': { schema: { type: 'string' } } },
      },
      ...problems('invalid_request', 'not_found', ...READ_PROBLEMS),
    },
  },
});

/** Delivery, reports, quality reports and the audit trail. */
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
  '/api/campaigns/{id}/report': reportPath('CampaignReport', 'Report of a campaign by day, line item and creative'),
  '/api/advertisers/{id}/report': reportPath('AdvertiserReport', 'Report of an advertiser by day and campaign, over all publishers'),
  '/api/reports': {
    get: {
      operationId: 'listReportedCreatives',
      tags: ['delivery'],
      summary: 'Quality reports counted by creative and reason, most reported first',
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
