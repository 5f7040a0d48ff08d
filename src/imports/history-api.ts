import { component } from '../api/component.ts';
import { choiceOr, dayQuery, idQuery, textQuery } from '../api/parameters.ts';
import { at, defineRoutes, jsonBody, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';

export const HISTORY_GROUPS = ['month', 'day', 'campaign', 'line_item', 'creative', 'placement'] as const;
/** Of an answer: more than eleven years of days. */
export const MAX_HISTORY_ROWS = 4_096;

const figures = { impressions: s.count, clicks: s.count };

const HISTORY = component(
  'ImportedHistory',
  s.record({
    source: s.orNull(s.text, { description: 'Which system has counted: that of the import; null: there is no history, or of several' }),
    first_day: s.orNull(s.text),
    last_day: s.orNull(s.text),
    totals: s.record(figures),
    rows: s.listOf(
      s.record({
        of: s.described(s.text, 'The month, the day, or the id of the record'),
        name: s.orNull(s.text, { description: 'Of the record; null: it has none, or was deleted' }),
        ...figures,
      }),
      { description: `At most ${MAX_HISTORY_ROWS}: days and months in their order, records by their impressions` },
    ),
  }),
  {
    ...{ source: 'revive', first_day: '2025-11-03', last_day: '2026-09-30', totals: { impressions: 1_204_000, clicks: 2_310 } },
    rows: [{ of: '2026-09', name: null, impressions: 98_000, clicks: 190 }],
  },
);
export type ImportedHistoryWire = s.Shape<typeof HISTORY>;

/** Of a call: a client sends more in parts. */
export const MAX_KEPT_DAYS = 2_000;
const MAX_KEPT_BYTES = 1024 * 1024;
const figure = s.integerOf({ minimum: 0, maximum: 2_147_483_647 });
const key = s.textOf({ minLength: 1, maxLength: 128 });

const KEPT_HISTORY = component(
  'KeptHistory',
  s.closedRecord({
    publisher_id: s.recordId,
    source: s.textOf({ minLength: 1, maxLength: 64, description: 'Which system has counted' }),
    days: s.listOf(
      s.closedRecord({
        creative: s.described(key, 'The external_key of the creative'),
        placement: key,
        day: s.textOf({ format: 'date', description: 'Of the publisher' }),
        impressions: figure,
        clicks: figure,
      }),
      { minItems: 1, maxItems: MAX_KEPT_DAYS },
    ),
  }),
  {
    ...{ publisher_id: 1, source: 'revive' },
    days: [{ creative: 'revive:banner:12', placement: 'revive-zone-3', day: '2026-09-30', impressions: 3_100, clicks: 6 }],
  },
);
export type KeptHistory = s.Shape<typeof KEPT_HISTORY>;

const KEPT = component(
  'KeptDays',
  s.record({ kept: s.count, unknown: s.described(s.count, 'Days of creatives that the publisher does not have: they are not kept') }),
  { kept: 1, unknown: 0 },
);

/** What another system had counted before bookings were imported. */
export const HISTORY_API = defineRoutes({
  getImportedHistory: {
    ...at('GET', '/api/imported_history', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    cost: 'report',
    closed: true,
    summary: 'What another system had counted of imported bookings. It is in no report, limit, budget or statement of this service',
    parameters: {
      publisher_id: idQuery('publisher', 'Only of this publisher'),
      campaign_id: idQuery('campaign', 'Only of this campaign'),
      line_item_id: idQuery('line item', 'Only of this line item'),
      placement_id: textQuery('Only of this placement', { maxLength: 128 }),
      from: dayQuery('The first day, of the publisher'),
      to: dayQuery('The last day'),
      group_by: choiceOr('month', HISTORY_GROUPS, 'What a row is of'),
    },
    answer: ok('The history', HISTORY),
  },
  keepImportedHistory: {
    ...at('POST', '/api/imported_history', 'delivery'),
    needs: 'bookings.write',
    reach: 'publishers',
    cost: 'list',
    summary: 'Keep what another system had counted of imported creatives. A day that is sent again takes the place of the first',
    body: jsonBody(KEPT_HISTORY, 'The history has faults.', { maxBytes: MAX_KEPT_BYTES, maxValues: 6 * MAX_KEPT_DAYS + 10 }),
    answer: ok('What was kept', KEPT),
  },
});
