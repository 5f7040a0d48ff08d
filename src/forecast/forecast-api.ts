import { component } from '../api/component.ts';
import { choiceQuery, dayQuery, idInPath, idQuery, required, textInPath, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { SUBJECTS } from './errors/compare-forecasts.ts';
import { FORECAST_STATES } from './forecast-store.ts';

const impressions = s.count;
const range = {
  p10: s.described(impressions, 'More than this with a chance of 90 per cent'),
  p50: impressions,
  p90: s.described(impressions, 'More than this with a chance of 10 per cent'),
};
const day = s.textOf({ format: 'date', description: 'Of the publisher' });

const MAX_PLACEMENTS = 200;

const FORECAST_QUESTION = component(
  'ForecastQuestion',
  s.closedRecord({
    line_item_id: s.optional(s.described(s.recordId, 'One that exists')),
    line_item: s.optional(s.anyObject({ description: 'Or a draft: a LineItem as it would be created' })),
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

const BASES = ['sample', 'replay'] as const;
const FORECAST = component(
  'Forecast',
  s.record({
    id: s.text,
    state: s.oneOf(FORECAST_STATES, { description: 'running: what is known so far; failed: reason says why' }),
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
    goal: s.orNull(impressions, { description: 'What is left of its goal; null: it has none' }),
    delivery: s.nullOr(s.record({ ...range, by_day: s.listOf(s.record({ day, ...range })) })),
    clicks: s.orNull(impressions),
    binding: s.listOf(s.record({ reason: s.text, words: s.text, impressions, share: s.described(s.number, 'Of what matches, 0 to 1') }), {
      description: 'Why it is not shown where it matches, the most frequent first',
    }),
    displaced: s.listOf(s.record({ line_item_id: s.integer, impressions }), { description: 'Who gets less because of the draft' }),
    remedies: s.listOf(s.record({ change: s.text, words: s.text, p50: impressions }), { description: 'What would bring more' }),
    warning: s.orNull(s.text, { description: 'What makes the forecast less sure' }),
  }),
  {
    ...{ id: '0a6ff5d2-6d3f-4f1a-9a0e-3f1f7c1f0c11', state: 'done', progress: 1, reason: null, basis: 'replay' },
    ...{ from: '2026-11-26', to: '2026-12-23', available: 412_000, free: 251_000, goal: 200_000 },
    delivery: { p10: 151_000, p50: 164_000, p90: 178_000, by_day: [{ day: '2026-12-01', p10: 6_100, p50: 6_600, p90: 7_100 }] },
    clicks: 160,
    binding: [{ reason: 'frequency_capped', words: 'the user has reached the frequency cap', impressions: 156_000, share: 0.38 }],
    displaced: [{ line_item_id: 5, impressions: 12_300 }],
    remedies: [{ change: 'without_frequency_cap', words: 'take the frequency cap away', p50: 200_000 }],
    warning: null,
  },
);
export type ForecastWire = s.Shape<typeof FORECAST>;

const AVAILABILITY = component(
  'Availability',
  s.record({
    day,
    placement: s.text,
    available: s.described(impressions, 'Impressions that pages are expected to ask for'),
    sold: s.described(impressions, 'Of them, those that line items of priority 1 and 2 get'),
    free: impressions,
  }),
  { day: '2026-12-01', placement: 'article-top', available: 14_200, sold: 9_800, free: 4_400 },
);
export type AvailabilityWire = s.Shape<typeof AVAILABILITY>;

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

const MAX_FACTOR = 100;
const eventMembers = {
  publisher_id: s.recordId,
  name: s.textOf({ minLength: 1, maxLength: 128 }),
  from: s.moment,
  to: s.moment,
  factor: s.numberOf({ minimum: 0, maximum: MAX_FACTOR }),
  placements: s.withDefault(s.listOf(s.textOf({ minLength: 1, maxLength: 128 }), { maxItems: MAX_PLACEMENTS }), []),
  key_values: s.withDefault(s.mapOf(s.listOf(s.textOf({ maxLength: 256 }), { maxItems: 50 })), {}),
};
const EXAMPLE_EVENT = {
  ...{ publisher_id: 1, name: 'Election night', from: '2026-12-06T17:00:00.000Z', to: '2026-12-06T23:59:00.000Z', factor: 3 },
  ...{ placements: [], key_values: { section: ['politics'] } },
};
const TRAFFIC_EVENT = component('TrafficEvent', s.record({ id: s.integer, ...eventMembers }), { id: 7, ...EXAMPLE_EVENT });
const TRAFFIC_EVENT_REQUEST = component('TrafficEventRequest', s.closedRecord(eventMembers), EXAMPLE_EVENT);
export type TrafficEventWire = s.Shape<typeof TRAFFIC_EVENT>;

const PUBLISHER = required(idQuery('publisher', 'The publisher'));
const FORECAST_IN_PATH = { id: textInPath('forecast') };

/** What bookings will deliver, and what is still free. */
export const FORECAST_API = defineRoutes({
  createForecast: {
    ...at('POST', '/api/forecasts', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    asks: true,
    cost: 'report',
    summary:
      'What a line item that exists or is drafted will deliver. The answer of the sample comes within two seconds; the replay goes on, and GET /api/forecasts/{id} tells of it.',
    body: jsonBody(FORECAST_QUESTION, 'The question has faults.'),
    answer: ok('What is known so far', FORECAST),
    problems: ['not_found'],
  },
  getForecast: {
    ...at('GET', '/api/forecasts/{id}', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    summary: 'A forecast of the last seven days: its progress, then its answer',
    parameters: FORECAST_IN_PATH,
    answer: ok('The forecast', FORECAST),
  },
  cancelForecast: {
    ...at('DELETE', '/api/forecasts/{id}', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    summary: 'Ends a forecast that is running. It leaves no half answer.',
    parameters: FORECAST_IN_PATH,
    answer: noContent('It does not run any more'),
  },
  listAvailability: {
    ...at('GET', '/api/availability', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    cost: 'report',
    summary:
      'What is available, sold and free by day and placement in the next 28 days. Empty until the bookings have been replayed, which a call begins.',
    parameters: {
      publisher: PUBLISHER,
      placement: textQuery('Only this placement', { maxLength: 128 }),
      from: dayQuery('The first day; by default today'),
      to: dayQuery('The last day; by default the last that is forecast'),
    },
    answer: ok('Rows by day and placement', s.listOf(AVAILABILITY)),
  },
  listForecastErrors: {
    ...at('GET', '/api/forecast_errors', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
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
  listTrafficEvents: {
    ...at('GET', '/api/traffic_events', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    summary: 'What staff know of traffic to come, and what was',
    parameters: { publisher: PUBLISHER },
    answer: ok('Events, the latest first', s.listOf(TRAFFIC_EVENT)),
  },
  createTrafficEvent: {
    ...at('POST', '/api/traffic_events', 'delivery'),
    needs: 'inventory.write',
    reach: 'publishers',
    summary: 'Notes an event: forecasts multiply the traffic that it concerns by its factor',
    body: jsonBody(TRAFFIC_EVENT_REQUEST, 'The event has faults.'),
    answer: created('The event', TRAFFIC_EVENT),
  },
  deleteTrafficEvent: {
    ...at('DELETE', '/api/traffic_events/{id}', 'delivery'),
    needs: 'inventory.write',
    reach: 'publishers',
    summary: 'Takes an event back',
    parameters: { id: idInPath('traffic event') },
    answer: noContent('Deleted'),
  },
});
