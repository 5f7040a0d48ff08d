import { component } from '../api/component.ts';
import { choiceQuery, dayQuery, idInPath, idQuery, required, textInPath, textQuery } from '../api/parameters.ts';
import { at, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { BOOKING, MAX_BOOKING_VALUES } from '../bookings/booking-api.ts';
import { MAX_CREATIVE_BYTES } from '../bookings/entity-api.ts';
import { SUBJECTS } from './errors/compare-forecasts.ts';

const impressions = s.count;
const range = {
  p10: s.described(impressions, 'More than this with a chance of 90 per cent'),
  p50: impressions,
  p90: s.described(impressions, 'More than this with a chance of 10 per cent'),
};
const day = s.textOf({ format: 'date', description: 'Of the publisher' });

export const MAX_PLACEMENTS = 200;

const FORECAST_QUESTION = component(
  'ForecastQuestion',
  s.closedRecord({
    line_item_id: s.optional(s.described(s.recordId, 'One that exists')),
    line_item: s.optional(s.anyObject({ description: 'Or a draft: a LineItem as it would be created' })),
    booking: s.optional(s.described(BOOKING, 'Or one of a booking that is not made yet, of new line items or changed ones')),
    at: s.optional(s.integerOf({ minimum: 0, maximum: 199, description: 'Of a booking: which of its line items, from 0' })),
    placements: s.optional(
      s.listOf(s.textOf({ minLength: 1, maxLength: 128 }), {
        maxItems: MAX_PLACEMENTS,
        uniqueItems: true,
        description: 'Of a draft: where it runs',
      }),
    ),
    models: s.optional(
      s.mapOf(s.text, { description: 'Placements without history, each with the placement whose traffic it is expected to have' }),
    ),
  }),
  {
    line_item: {
      ...{ campaign_id: 3, name: 'Boots in autumn', start_date: '2026-12-01', end_date: '2026-12-31' },
      ...{ budget_type: 'CPM', cpm: 4.5, pacing: 'Even', goal_impressions: 200_000 },
    },
    placements: ['article-top'],
  },
);

type RemedyChange =
  'longer' | 'wider' | 'higher_priority' | 'higher_price' | 'more_placements' | 'without_frequency_cap' | 'without_daily_cap';
const BASES = ['sample', 'replay'] as const;
const FORECAST = component(
  'Forecast',
  s.record({
    id: s.text,
    state: s.oneOf(['running', 'done', 'failed', 'cancelled'], { description: 'running: what is known so far; failed: reason says why' }),
    progress: s.numberOf({ minimum: 0, maximum: 1 }),
    reason: s.orNull(s.text),
    basis: s.orNull(s.oneOf(BASES), {
      enum: [...BASES, null],
      description: 'sample: the quick answer; replay: of the decisions replayed; null: nothing is known yet',
    }),
    from: s.orNull(day),
    to: s.orNull(day),
    available: s.orNull(impressions, { description: 'Impressions that match' }),
    free: s.orNull(impressions, { description: 'Of them, those that no line item gets that ranks above' }),
    goal: s.orNull(impressions, { description: 'What is left of its goal, and due in these days; null: it has none' }),
    delivery: s.nullOr(s.record({ ...range, by_day: s.listOf(s.record({ day, ...range })) })),
    clicks: s.orNull(impressions),
    viewable: s.orNull(impressions, { description: 'Of those that are delivered, those in view; null: pages have not reported any' }),
    binding: s.listOf(s.record({ reason: s.text, words: s.text, impressions, share: s.described(s.number, 'Of what matches, 0 to 1') }), {
      description: 'Why it is not shown where it matches, the most frequent first',
    }),
    displaced: s.listOf(s.record({ line_item_id: s.integer, impressions }), { description: 'Who gets less because of the draft' }),
    remedies: s.listOf(
      s.record({
        ...{ change: s.textOf<RemedyChange>(), words: s.text, p50: impressions },
        fields: s.anyObject({ description: 'Of the line item, what would change (JSON merge patch)' }),
      }),
      { description: 'What would bring more' },
    ),
    without_history: s.listOf(s.text, { description: 'Of its placements, those without traffic: `models` says what each is like' }),
    warning: s.orNull(s.text, { description: 'What makes the forecast less sure' }),
  }),
  {
    ...{ id: '0a6ff5d2-6d3f-4f1a-9a0e-3f1f7c1f0c11', state: 'done', progress: 1, reason: null, basis: 'replay' },
    ...{ from: '2026-11-26', to: '2026-12-23', available: 412_000, free: 251_000, goal: 200_000 },
    delivery: { p10: 151_000, p50: 164_000, p90: 178_000, by_day: [{ day: '2026-12-01', p10: 6_100, p50: 6_600, p90: 7_100 }] },
    clicks: 160,
    viewable: 98_000,
    binding: [{ reason: 'frequency_capped', words: 'the user has reached the frequency cap', impressions: 156_000, share: 0.38 }],
    displaced: [{ line_item_id: 5, impressions: 12_300 }],
    remedies: [
      {
        ...{ change: 'without_frequency_cap', words: 'take the frequency cap away', p50: 200_000 },
        fields: { frequency_cap: null, frequency_caps: [] },
      },
    ],
    without_history: [],
    warning: null,
  },
);
export type ForecastWire = s.Shape<typeof FORECAST>;

const CAMPAIGN_FORECAST = component(
  'CampaignForecast',
  s.record({
    made_on: s.orNull(day, { description: 'null: its bookings have not been replayed yet' }),
    ...range,
    by_day: s.listOf(s.record({ day, ...range }), {
      description: 'Sums of its line items: their ranges as if traffic moved all of them alike',
    }),
    line_items: s.listOf(s.record({ line_item_id: s.integer, ...range })),
  }),
  {
    ...{ made_on: '2026-11-26', p10: 151_000, p50: 164_000, p90: 178_000 },
    by_day: [{ day: '2026-12-01', p10: 6_100, p50: 6_600, p90: 7_100 }],
    line_items: [{ line_item_id: 5, p10: 151_000, p50: 164_000, p90: 178_000 }],
  },
);
export type CampaignForecastWire = s.Shape<typeof CAMPAIGN_FORECAST>;

const ERROR = component(
  'ForecastError',
  s.record({
    subject: s.described(s.oneOf(SUBJECTS), 'placement: impressions that pages asked for; line_item: those that it delivered'),
    key: s.orNull(s.text, { description: 'The placement or line item; null: all of them' }),
    age: s.described(s.integer, 'How many days old the forecasts were: 1, 7 or 28'),
    compared: s.described(s.count, 'Days of a placement or line item that were compared, of 50 impressions or more'),
    mean_error: s.described(s.number, 'Mean absolute percentage error: 0.1 is 10 per cent'),
    held: s.described(s.number, 'The part of them that was within P10 to P90; 0.8 is right'),
  }),
  { subject: 'line_item', key: null, age: 7, compared: 1_240, mean_error: 0.064, held: 0.81 },
);
export type ForecastErrorWire = s.Shape<typeof ERROR>;

const PUBLISHER = required(idQuery('publisher', 'The publisher'));
const FORECASTING = { needs: 'alerts.read', reach: 'publishers' } as const;
const FORECAST_IN_PATH = { id: textInPath('forecast') };

/** What bookings will deliver. */
export const FORECAST_API = defineRoutes({
  createForecast: {
    ...at('POST', '/api/forecasts', 'delivery', FORECASTING),
    asks: true,
    cost: 'report',
    summary:
      'What a line item that exists or is drafted will deliver. The answer of the sample comes within two seconds; the replay goes on, and GET /api/forecasts/{id} tells of it.',
    body: jsonBody(FORECAST_QUESTION, 'The question has faults.', { maxBytes: MAX_CREATIVE_BYTES, maxValues: MAX_BOOKING_VALUES }),
    answer: ok('What is known so far', FORECAST),
    problems: ['not_found'],
  },
  getForecast: {
    ...at('GET', '/api/forecasts/{id}', 'delivery', FORECASTING),
    summary: 'A forecast of the last seven days: its progress, then its answer',
    parameters: FORECAST_IN_PATH,
    answer: ok('The forecast', FORECAST),
  },
  cancelForecast: {
    ...at('DELETE', '/api/forecasts/{id}', 'delivery', FORECASTING),
    summary: 'Ends a forecast that is running. It leaves no half answer.',
    parameters: FORECAST_IN_PATH,
    answer: noContent('It does not run any more'),
  },
  getCampaignForecast: {
    ...at('GET', '/api/campaigns/{id}/forecast', 'delivery', FORECASTING),
    summary: 'What the line items of a campaign are expected to deliver in the next 28 days, by the last replay of all bookings',
    parameters: { id: idInPath('campaign') },
    answer: ok('The sum, by day and line item', CAMPAIGN_FORECAST),
  },
  listForecastErrors: {
    ...at('GET', '/api/forecast_errors', 'delivery', FORECASTING),
    cost: 'report',
    summary:
      'How good forecasts were: each night those that are 1, 7 and 28 days old are compared with the day that has ended. By default of all placements and of all line items.',
    parameters: {
      publisher: PUBLISHER,
      subject: choiceQuery(SUBJECTS, 'Each placement or line item'),
      key: textQuery('Only this placement or line item', { maxLength: 128 }),
      from: dayQuery('The first day; by default four weeks ago'),
      to: dayQuery('The last day; by default yesterday'),
    },
    answer: ok('By placement or line item, and age', s.listOf(ERROR)),
  },
});
