import { component } from '../api/component.ts';
import { choiceOr } from '../api/parameters.ts';
import { at, defineRoutes, jsonBody, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { MAX_CREATIVE_BYTES } from './entity-api.ts';
import { ENTITY_COMPONENTS } from './entity-components.ts';
import { ANSWERED_EXAMPLES, SENT_EXAMPLES } from './entity-examples.ts';

const MAX_LINE_ITEMS = 200;
const MAX_CREATIVES = 100;
/** 200 line items with their targeting, and their creatives. */
export const MAX_BOOKING_VALUES = 25_000;

const written = {
  id: s.optional(s.described(s.recordId, 'of a record that exists; without it, one is created')),
  fields: s.anyObject({ description: 'of a new record, or those that change (JSON merge patch, RFC 7396)' }),
  seen: s.optional(
    s.anyObject({ description: 'what the changed fields were when they were read: one that is something else now is refused' }),
  ),
};

export const BOOKING = component(
  'Booking',
  s.closedRecord({
    advertiser: s.optional(s.anyObject({ description: 'an advertiser that is created, and becomes that of the campaign' })),
    campaign: s.closedRecord(written),
    line_items: s.listOf(
      s.closedRecord({ ...written, creatives: s.listOf(s.closedRecord(written), { maxItems: MAX_CREATIVES, default: [] }) }),
      { maxItems: MAX_LINE_ITEMS, description: 'those that are created or change: others of the campaign stay as they are' },
    ),
  }),
  {
    advertiser: { name: 'Boots of the North' },
    campaign: { fields: { publisher_id: 1, name: 'Boots, autumn', start_date: '2026-10-01', end_date: '2026-12-31' } },
    line_items: [
      {
        fields: {
          ...{ name: 'Phones', active: true, start_date: '2026-10-01', end_date: '2026-12-31', cpm: 4.5, placement_ids: ['article-top'] },
        },
        creatives: [{ fields: { name: 'Boots 728 × 90', format: 'html', content: SENT_EXAMPLES.creatives.content } }],
      },
    ],
  },
);
export type Booking = s.Shape<typeof BOOKING>;

const NOTES = s.listOf(s.record({ pointer: s.text, detail: s.text }));

const BOOKED = component(
  'Booked',
  s.record({
    applied: s.described(s.boolean, 'false: of a dry run'),
    campaign: s.nullOr(ENTITY_COMPONENTS.campaigns.record, { description: 'null: it has faults, or was not reached' }),
    line_items: s.listOf(
      s.record({
        line_item: s.nullOr(ENTITY_COMPONENTS.line_items.record),
        creatives: s.listOf(s.nullOr(ENTITY_COMPONENTS.creatives.record)),
      }),
    ),
    faults: s.described(NOTES, 'of a dry run: why the booking would be refused'),
    warnings: s.described(NOTES, 'what is accepted, and is probably not meant'),
    stops: s.described(NOTES, 'what keeps the booking, or a part of it, from serving'),
  }),
  {
    applied: true,
    campaign: ANSWERED_EXAMPLES.campaigns,
    line_items: [{ line_item: ANSWERED_EXAMPLES.line_items, creatives: [ANSWERED_EXAMPLES.creatives] }],
    ...{ faults: [], warnings: [] },
    stops: [{ pointer: '/line_items/0', detail: 'no creative of 300×600 for placement sidebar' }],
  },
);

/** A campaign with its line items and creatives, as one screen has them. */
export const BOOKING_API = defineRoutes({
  bookCampaign: {
    ...at('POST', '/api/bookings', 'campaigns'),
    needs: 'bookings.write',
    reach: 'own',
    cost: 'list',
    closed: true,
    summary: 'Book a campaign with its line items and creatives, new ones and changed ones: all of it in one transaction, or nothing',
    parameters: {
      dry_run: choiceOr('false', ['false', 'true'], 'true: only say what would be refused, and what would keep it from serving'),
    },
    body: jsonBody(BOOKING, 'The booking is malformed.', { maxBytes: MAX_CREATIVE_BYTES, maxValues: MAX_BOOKING_VALUES }),
    answer: ok('What was booked, or would be', BOOKED),
    problems: ['not_found', 'precondition_failed', 'approval_required'],
  },
});
