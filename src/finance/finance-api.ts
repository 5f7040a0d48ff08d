import { component } from '../api/component.ts';
import { FILE_CONTENT } from '../api/openapi-document.ts';
import { choiceOr, idQuery, required, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, ok } from '../api/route.ts';
import { MONTH, MONTH_WORDS } from '../base/schema-faults.ts';
import {
  closedRecord,
  described,
  integer,
  listOf,
  number,
  orNull,
  record,
  recordId,
  text,
  textOf,
  usd,
  type Shape,
} from '../base/schema.ts';
import { PAYER_CHANGE } from '../reports/payer-changes.ts';
import { MAX_OPEN_MONTHS } from './finance.ts';

const FINANCE_FORMATS = ['json', 'csv', 'xlsx'] as const;

const month = textOf({ pattern: MONTH });
const amount = orNull(number, { description: 'The revenue in the currency of the statement; null: no rate is known' });
const through = orNull(text, {
  description: 'The last day that the revenue includes: the last of the month, or today if that is earlier; null: the month has not begun',
});
const FEE_TO_COME = 'what Flat line items will earn on the days of an open month after `through`; not in the revenue';
const revenue = described(
  usd,
  'USD; to date: up to the end of `through`, as in a report of these days. Negative where a correction takes away',
);
const feeToCome = described(usd, `USD; ${FEE_TO_COME}`);
const earned = {
  ...{ impressions: integer, clicks: integer },
  corrections: described(usd, 'USD; the part of the revenue that corrects closed months'),
  ...{ revenue, fee_to_come: feeToCome, amount },
  other_amounts: listOf(record({ currency: text, amount: number }), {
    description: 'Corrections of months that were closed in other currencies; not in the amount',
  }),
};

const STATEMENT = component(
  'Statement',
  record({
    ...{ publisher_id: integer, publisher: text, month, through, time_zone: text, currency: text },
    rate: orNull(number, { description: 'Units of the currency for one USD; of a closed month, when it was closed' }),
    closed_at: orNull(text, { description: 'null: open; the lines are what a close would store, to date' }),
    closed_by: orNull(text),
    closed_months: described(listOf(month), 'All closed months of the publisher, the latest first'),
    advertisers: listOf(record({ advertiser_id: orNull(integer), advertiser: orNull(text), ...earned })),
    lines: listOf(
      record({
        month,
        of_month: described(month, 'Earlier or later than `month`: a correction, with the names, the currency and the rate of that month'),
        ...{ through, publisher_id: integer, publisher: text },
        ...{ advertiser_id: orNull(integer), advertiser: orNull(text), campaign_id: integer, campaign: orNull(text) },
        ...{ impressions: integer, clicks: integer, revenue, fee_to_come: feeToCome },
        amount: orNull(number, { description: 'The revenue in the currency of the line; null: no rate is known' }),
        currency: text,
      }),
    ),
    totals: record(earned),
    payer_changes: listOf(PAYER_CHANGE, {
      description: 'Campaigns that another advertiser pays for since a moment of the month: each has a line for what was earned from each',
    }),
  }),
  {
    ...{ publisher_id: 1, publisher: 'The Gazette', month: '2026-10', through: '2026-10-21' },
    ...{ time_zone: 'Europe/Berlin', currency: 'EUR', rate: 0.9, closed_at: null, closed_by: null },
    closed_months: ['2026-09', '2026-08'],
    advertisers: [
      {
        ...{ advertiser_id: 2, advertiser: 'Boots of the North' },
        ...{ impressions: 58_100, clicks: 290, corrections: 0, revenue: 261.45, fee_to_come: 50, amount: 235.305, other_amounts: [] },
      },
    ],
    lines: [
      {
        ...{ month: '2026-10', of_month: '2026-10', through: '2026-10-21', publisher_id: 1, publisher: 'The Gazette' },
        ...{ advertiser_id: 2, advertiser: 'Boots of the North' },
        ...{ campaign_id: 3, campaign: 'Boots, autumn' },
        ...{ impressions: 58_100, clicks: 290, revenue: 261.45, fee_to_come: 50, amount: 235.305, currency: 'EUR' },
      },
    ],
    payer_changes: [],
    totals: {
      ...{ impressions: 58_100, clicks: 290, corrections: 0, revenue: 261.45, fee_to_come: 50, amount: 235.305, other_amounts: [] },
    },
  },
);
/** The statement of a publisher for a month. */
export type FinanceWire = Shape<typeof STATEMENT>;

const OPEN_MONTH = component('OpenMonth', record({ publisher_id: integer, publisher: text, month }), {
  ...{ publisher_id: 1, publisher: 'The Gazette', month: '2026-10' },
});
export type OpenMonthWire = Shape<typeof OPEN_MONTH>;

const MONTH_TO_CLOSE = component('MonthToClose', closedRecord({ publisher_id: recordId, month }), {
  ...{ publisher_id: 1, month: '2026-10' },
});

/** Statements of publishers by month. */
export const FINANCE_API = defineRoutes({
  getStatement: {
    ...at('GET', '/api/finance', 'delivery'),
    cost: 'report',
    summary: 'What a publisher bills its advertisers for a month to date, with corrections of closed months',
    parameters: {
      publisher_id: required(idQuery('publisher', 'The publisher')),
      month: required(textQuery('A month of the publisher, such as 2026-10', { pattern: MONTH }, MONTH_WORDS)),
      format: choiceOr('json', FINANCE_FORMATS, 'CSV and Excel have the lines'),
    },
    answer: ok('The statement', STATEMENT, { files: FILE_CONTENT }),
    problems: ['not_found'],
  },
  listOpenMonths: {
    ...at('GET', '/api/finance/open', 'delivery'),
    cost: 'report',
    summary: `The months of all publishers that are over, have figures and are not closed, the earliest first; at most ${MAX_OPEN_MONTHS}`,
    answer: ok('The months', listOf(OPEN_MONTH)),
  },
  closeMonth: {
    ...at('POST', '/api/finance/close', 'delivery'),
    cost: 'report',
    summary: 'Stores the statement of a month that is over; nothing changes it any more',
    body: jsonBody(MONTH_TO_CLOSE, 'The month cannot be closed.'),
    answer: created('The statement', STATEMENT),
    problems: ['not_found'],
  },
});
