import { MAX_OPEN_MONTHS } from '../../finance/finance.ts';
import { FINANCE_FORMATS } from '../../finance/finance-routes.ts';
import {
  BODY_PROBLEMS,
  FILE_CONTENT,
  jsonAnswer,
  jsonBody,
  jsonContent,
  problems,
  query,
  READ_PROBLEMS,
  WRITE_PROBLEMS,
  type Paths,
} from './operation.ts';
import { integer, listOf, oneOf, orNull, record, ref, text, usd } from '../../api/schema.ts';

const month = { type: 'string', pattern: '^2\\d{3}-(0[1-9]|1[0-2])$' };
const amount = { type: ['number', 'null'], description: 'The revenue in the currency of the statement; null: no rate is known' };
/** Negative where a correction takes away. */
const earned = {
  ...{ impressions: integer, clicks: integer },
  corrections: { ...usd, description: 'USD; the part of the revenue that corrects closed months' },
  revenue: usd,
  amount,
};

/** Component schemas of finance. */
export const FINANCE_SCHEMAS = {
  Statement: record({
    ...{ publisher_id: integer, month, time_zone: text, currency: text },
    rate: { type: ['number', 'null'], description: 'Units of the currency for one USD; of a closed month, when it was closed' },
    closed_at: orNull('string', { description: 'null: open; the lines are what closing it now would store' }),
    closed_by: orNull('string'),
    closed_months: { ...listOf(month), description: 'All closed months of the publisher, the latest first' },
    advertisers: listOf(record({ advertiser_id: orNull('integer'), advertiser: orNull('string'), ...earned })),
    lines: listOf(
      record({
        month,
        of_month: { ...month, description: 'Earlier or later than `month`: a correction' },
        ...{ advertiser_id: orNull('integer'), advertiser: orNull('string'), campaign_id: integer, campaign: orNull('string') },
        ...{ impressions: integer, clicks: integer, revenue: usd, amount, currency: text },
      }),
    ),
    totals: record(earned),
  }),
  OpenMonth: record({ publisher_id: integer, publisher: text, month }),
  MonthToClose: {
    type: 'object',
    required: ['publisher_id', 'month'],
    additionalProperties: false,
    properties: { publisher_id: integer, month },
  },
};

/** Statements of publishers by month. */
export const financePaths = (): Paths => ({
  '/api/finance': {
    get: {
      operationId: 'getStatement',
      tags: ['delivery'],
      summary: 'What a publisher bills its advertisers for a month, with corrections of closed months',
      parameters: [
        query('publisher_id', integer, 'The publisher', true),
        query('month', month, 'A month of the publisher, such as 2026-10', true),
        query('format', { ...oneOf(FINANCE_FORMATS), default: 'json' }, 'CSV and Excel have the lines'),
      ],
      responses: {
        200: { description: 'The statement', content: { ...jsonContent(ref('Statement')), ...FILE_CONTENT } },
        ...problems('invalid_request', 'not_found', ...READ_PROBLEMS),
      },
    },
  },
  '/api/finance/open': {
    get: {
      operationId: 'listOpenMonths',
      tags: ['delivery'],
      summary: `The months of all publishers that are over, have figures and are not closed, the earliest first; at most ${MAX_OPEN_MONTHS}`,
      responses: { 200: jsonAnswer('The months', listOf(ref('OpenMonth'))), ...problems(...READ_PROBLEMS) },
    },
  },
  '/api/finance/close': {
    post: {
      operationId: 'closeMonth',
      tags: ['delivery'],
      summary: 'Stores the statement of a month that is over; nothing changes it any more',
      requestBody: jsonBody(ref('MonthToClose')),
      responses: { 201: jsonAnswer('The statement', ref('Statement')), ...problems('not_found', ...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
  },
});
