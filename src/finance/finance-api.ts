import { component } from '../api/component.ts';
import { FILE_CONTENT } from '../api/openapi-document.ts';
import { choiceOr, idQuery, required, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, ok } from '../api/route.ts';
import { MONTH, MONTH_WORDS } from '../base/schema-faults.ts';
import * as s from '../base/schema.ts';
import { AMOUNTS } from '../catalog/model/amounts.ts';
import { PAYER_CHANGE } from '../reports/payer-changes.ts';

const FINANCE_FORMATS = ['json', 'csv', 'xlsx'] as const;
export const MAX_OPEN_MONTHS = 1_000;

const month = s.textOf({ pattern: MONTH });
const amount = s.orNull(s.number, { description: 'The revenue in the currency of the statement; null: no rate is known' });
const through = s.orNull(s.text, {
  description: 'The last day that the revenue includes: the last of the month, or today if that is earlier; null: the month has not begun',
});
const FEE_TO_COME = 'what Flat line items will earn on the days of an open month after `through`; not in the revenue';
const revenue = s.described(
  s.number,
  'In `revenue_currency`; to date: up to the end of `through`, as in a report of these days. Negative where a correction takes away',
);
const feeToCome = s.described(s.number, `In \`revenue_currency\`; ${FEE_TO_COME}`);
const earned = {
  ...{ impressions: s.integer, clicks: s.integer },
  corrections: s.described(s.number, 'The part of the revenue that corrects closed months'),
  ...{ revenue, fee_to_come: feeToCome, amount },
  other_amounts: s.described(AMOUNTS, 'Corrections of months that were closed in other currencies; not in the amount'),
};

const STATEMENT = component(
  'Statement',
  s.record({
    ...{ publisher_id: s.integer, publisher: s.text, month, through, time_zone: s.text },
    revenue_currency: s.described(s.text, 'ISO 4217: the currency of the publisher, of revenue and fees'),
    currency: s.described(s.text, 'Of amounts: `statement_currency` of the publisher, else its currency'),
    rate: s.orNull(s.number, { description: 'Units of `currency` for one of `revenue_currency`; of a closed month, when it was closed' }),
    closed_at: s.orNull(s.text, { description: 'null: open; the lines are what a close would store, to date' }),
    closed_by: s.orNull(s.text),
    closed_months: s.described(s.listOf(month), 'All closed months of the publisher, the latest first'),
    advertisers: s.listOf(s.record({ advertiser_id: s.orNull(s.integer), advertiser: s.orNull(s.text), ...earned })),
    lines: s.listOf(
      s.record({
        month,
        of_month: s.described(
          month,
          'Earlier or later than `month`: a correction, with the names, the currency and the rate of that month',
        ),
        ...{ through, publisher_id: s.integer, publisher: s.text },
        ...{ advertiser_id: s.orNull(s.integer), advertiser: s.orNull(s.text), campaign_id: s.integer, campaign: s.orNull(s.text) },
        ...{ impressions: s.integer, clicks: s.integer, revenue, fee_to_come: feeToCome },
        amount: s.orNull(s.number, { description: 'The revenue in the currency of the line; null: no rate is known' }),
        ...{ currency: s.text, revenue_currency: s.text },
      }),
    ),
    totals: s.record(earned),
    payer_changes: s.listOf(PAYER_CHANGE, {
      description: 'Campaigns that another advertiser pays for since a moment of the month: each has a line for what was earned from each',
    }),
  }),
  {
    ...{ publisher_id: 1, publisher: 'The Gazette', month: '2026-10', through: '2026-10-21' },
    ...{ time_zone: 'Europe/Berlin', revenue_currency: 'USD', currency: 'EUR', rate: 0.9, closed_at: null, closed_by: null },
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
        ...{
          impressions: 58_100,
          clicks: 290,
          revenue: 261.45,
          fee_to_come: 50,
          amount: 235.305,
          currency: 'EUR',
          revenue_currency: 'USD',
        },
      },
    ],
    payer_changes: [],
    totals: {
      ...{ impressions: 58_100, clicks: 290, corrections: 0, revenue: 261.45, fee_to_come: 50, amount: 235.305, other_amounts: [] },
    },
  },
);
/** The statement of a publisher for a month. */
export type FinanceWire = s.Shape<typeof STATEMENT>;

const OPEN_MONTH = component('OpenMonth', s.record({ publisher_id: s.integer, publisher: s.text, month }), {
  ...{ publisher_id: 1, publisher: 'The Gazette', month: '2026-10' },
});
export type OpenMonthWire = s.Shape<typeof OPEN_MONTH>;

const MONTH_TO_CLOSE = component('MonthToClose', s.closedRecord({ publisher_id: s.recordId, month }), {
  ...{ publisher_id: 1, month: '2026-10' },
});

/** Statements of publishers by month. */
export const FINANCE_API = defineRoutes({
  getStatement: {
    ...at('GET', '/api/finance', 'delivery'),
    needs: 'finance.read',
    reach: 'publishers',
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
    needs: 'finance.read',
    reach: 'publishers',
    cost: 'report',
    summary: `The months of all publishers that are over, have figures and are not closed, the earliest first; at most ${MAX_OPEN_MONTHS}`,
    answer: ok('The months', s.listOf(OPEN_MONTH)),
  },
  closeMonth: {
    ...at('POST', '/api/finance/close', 'delivery'),
    needs: 'finance.write',
    reach: 'publishers',
    cost: 'report',
    summary: 'Stores the statement of a month that is over; nothing changes it any more',
    body: jsonBody(MONTH_TO_CLOSE, 'The month cannot be closed.'),
    answer: created('The statement', STATEMENT),
    problems: ['not_found'],
  },
});
