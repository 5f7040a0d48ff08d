import { DEVICES } from '../../catalog/model/entities.ts';
import { AUDIT_FILTERS, REPORT_FILTERS } from '../insight/insight-routes.ts';
import { jsonAnswer, jsonBody, listOf, problems, query, ref, type PathItem } from './operation.ts';

const READ = ['admin_unauthorized', 'unavailable'] as const;
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const page = [
  query('limit', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }, 'At most so many'),
  query('offset', { type: 'integer', minimum: 0, default: 0 }, 'Skip so many'),
];

/** Delivery, reports, the audit trail and 'why not'. */
export const insightPaths = (): Readonly<Record<string, PathItem>> => ({
  '/api/line_items/{id}/delivery': {
    parameters: [id],
    get: {
      tags: ['delivery'],
      summary: 'How it delivers: today live, the last days, its limits, its pacing, its status and why',
      responses: { 200: jsonAnswer('Now', ref('Delivery')), ...problems('not_found', ...READ) },
    },
  },
  '/api/campaigns/{id}/report': {
    parameters: [id],
    get: {
      tags: ['delivery'],
      summary: 'Days × line items × creatives',
      parameters: [
        query('from', { type: 'string', format: 'date' }, 'First UTC day; by default thirty days'),
        query('to', { type: 'string', format: 'date' }, 'Last UTC day; by default today'),
        query('format', { type: 'string', enum: ['json', 'csv'] }, 'By default as Accept says'),
      ],
      responses: {
        200: {
          description: 'The report',
          content: { 'application/json': { schema: ref('CampaignReport') }, 'text/csv': { schema: { type: 'string' } } },
        },
        ...problems('invalid_request', 'not_found', ...READ),
      },
    },
  },
  '/api/reports': {
    get: {
      tags: ['delivery'],
      summary: 'Quality reports, counted by creative and reason, most reported first',
      parameters: [...REPORT_FILTERS.map((name) => query(name, { type: 'integer' }, 'Only of it')), ...page],
      responses: { 200: jsonAnswer('Reported creatives', listOf(ref('ReportedCreative'))), ...problems('invalid_request', ...READ) },
    },
  },
  '/api/audit': {
    get: {
      tags: ['delivery'],
      summary: 'Who changed what, newest first',
      parameters: [...AUDIT_FILTERS.map((name) => query(name, { type: 'string' }, 'Only these')), ...page],
      responses: { 200: jsonAnswer('Changes', listOf(ref('AuditRow'))), ...problems('invalid_request', ...READ) },
    },
  },
  '/api/explain': {
    post: {
      tags: ['delivery'],
      summary: 'Why a line item would, or would not, fill an ad request. Nothing is served, counted or sent to a bidder',
      requestBody: jsonBody(ref('Question')),
      responses: {
        200: jsonAnswer('In words and numbers', ref('Explanation')),
        ...problems('invalid_json', 'invalid_request', 'forbidden', 'not_found', ...READ),
      },
    },
  },
  '/api/test_ad': {
    post: {
      tags: ['delivery'],
      summary: 'The ad that a visitor would get, with the whole trace. Bidders are asked; nothing is served, counted or billed',
      requestBody: jsonBody({
        allOf: [
          ref('AdRequest'),
          {
            type: 'object',
            properties: {
              context: {
                type: 'object',
                description: 'In the place of what address and user agent say',
                properties: { country: { type: 'string' }, device: { type: 'string', enum: DEVICES } },
              },
            },
          },
        ],
      }),
      responses: {
        200: jsonAnswer('As POST /ad?debug=1, without ids and tracking URLs', { type: 'object' }),
        ...problems('invalid_json', 'invalid_request', 'forbidden', ...READ),
      },
    },
  },
  '/api/dimensions': {
    get: {
      tags: ['delivery'],
      summary: 'The registered dimensions',
      responses: { 200: jsonAnswer('As a JSON Schema', { type: 'object' }), ...problems(...READ) },
    },
  },
  '/api/openapi.json': {
    get: {
      tags: ['delivery'],
      summary: 'This document',
      responses: { 200: jsonAnswer('OpenAPI 3.1', { type: 'object' }), ...problems(...READ) },
    },
  },
});
