import { accept, choiceOr, dayQuery, idQuery, query, reject, required, textQuery } from '../../api/parameters.ts';
import { component } from '../../api/component.ts';
import { at, defineRoutes, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { isCountryCode } from '../../catalog/checks/country-codes.ts';
import { AVAILABILITY_GROUPS } from './availability.ts';

const impressions = s.count;
const AVAILABILITY = component(
  'Availability',
  s.record({
    day: s.textOf({ format: 'date', description: 'Of the publisher' }),
    placement: s.orNull(s.text, { description: 'null: rows are not by placement' }),
    country: s.orNull(s.text, { description: 'ISO 3166-1 alpha-2; null: not known, or rows are not by country' }),
    size: s.orNull(s.text, { description: 'Such as 300x250; null: rows are not by size' }),
    targeting_id: s.orNull(s.integer, { description: 'The shared targeting; null: rows are not by targeting' }),
    available: s.described(impressions, 'Impressions that pages are expected to ask for'),
    sold: s.described(impressions, 'Of them, those that line items of priority 1 and 2 get'),
    free: impressions,
  }),
  {
    ...{ day: '2026-12-01', placement: 'article-top', country: null, size: null, targeting_id: null },
    ...{ available: 14_200, sold: 9_800, free: 4_400 },
  },
);
export type AvailabilityWire = s.Shape<typeof AVAILABILITY>;

const BOOKED_IMPRESSIONS = component(
  'BookedImpressions',
  s.record({ line_item_id: s.integer, name: s.orNull(s.text, { description: 'null: it is deleted' }), impressions }),
  { line_item_id: 5, name: 'Boots, phones', impressions: 12_300 },
);

const ofPart = {
  publisher: required(idQuery('publisher', 'The publisher')),
  placement: textQuery('Only this placement', { maxLength: 128 }),
  country: query(s.textOf({ pattern: '^[A-Z]{2}$' }), 'Only visitors in this country: ISO 3166-1 alpha-2', (word) =>
    isCountryCode(word) ? accept(word) : reject('must be an ISO 3166-1 alpha-2 country code'),
  ),
  size: textQuery(
    'Only impressions that take this size, such as 300x250',
    { pattern: '^\\d{1,5}x\\d{1,5}$' },
    'must be a width and a height, such as 300x250',
  ),
  targeting: idQuery('targeting', 'Only impressions that meet this shared targeting'),
  from: dayQuery('The first day; by default today'),
  to: dayQuery('The last day; by default the last that is forecast'),
};

/** What is still free, and who has the rest. */
export const AVAILABILITY_API = defineRoutes({
  listAvailability: {
    ...at('GET', '/api/availability', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    cost: 'report',
    summary:
      'What is available, sold and free by day and placement, country, size or shared targeting in the next 28 days. Empty until the bookings have been replayed, which a call begins.',
    parameters: {
      ...ofPart,
      group_by: choiceOr(
        'placement',
        AVAILABILITY_GROUPS,
        'What rows are of, besides days. An impression that takes several sizes is in the row of each, one that meets several targetings likewise',
      ),
    },
    answer: ok('Rows by day and placement, country, size or targeting', s.listOf(AVAILABILITY)),
    problems: ['unavailable'],
  },
  listBookedImpressions: {
    ...at('GET', '/api/availability/line_items', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    cost: 'report',
    summary: 'Which line items get the impressions of a part of the traffic in the next 28 days, those with most first',
    parameters: ofPart,
    answer: ok('Line items', s.listOf(BOOKED_IMPRESSIONS)),
    problems: ['unavailable'],
  },
});
