import { component } from '../api/component.ts';
import { idInPath, idQuery, required } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { MAX_PLACEMENTS } from './forecast-api.ts';

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

const CHANGING = { needs: 'inventory.write', reach: 'publishers' } as const;

/** What staff know of traffic to come. */
export const TRAFFIC_EVENT_API = defineRoutes({
  listTrafficEvents: {
    ...at('GET', '/api/traffic_events', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    summary: 'What staff know of traffic to come, and what was',
    parameters: { publisher: required(idQuery('publisher', 'The publisher')) },
    answer: ok('Events, the latest first', s.listOf(TRAFFIC_EVENT)),
  },
  createTrafficEvent: {
    ...at('POST', '/api/traffic_events', 'delivery', CHANGING),
    summary: 'Notes an event: forecasts multiply the traffic that it concerns by its factor',
    body: jsonBody(TRAFFIC_EVENT_REQUEST, 'The event has faults.'),
    answer: created('The event', TRAFFIC_EVENT),
  },
  replaceTrafficEvent: {
    ...at('PUT', '/api/traffic_events/{id}', 'delivery', CHANGING),
    summary: 'Changes an event',
    parameters: { id: idInPath('traffic event') },
    body: jsonBody(TRAFFIC_EVENT_REQUEST, 'The event has faults.'),
    answer: ok('The event', TRAFFIC_EVENT),
  },
  deleteTrafficEvent: {
    ...at('DELETE', '/api/traffic_events/{id}', 'delivery', CHANGING),
    summary: 'Takes an event back',
    parameters: { id: idInPath('traffic event') },
    answer: noContent('Deleted'),
  },
});
