import { component } from '../api/component.ts';
import { textInPath } from '../api/parameters.ts';
import { at, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import { NOT_BLANK } from '../base/schema-faults.ts';
import * as s from '../base/schema.ts';
import { MAX_CREATIVE_BYTES } from './entity-api.ts';

const KINDS = ['draft', 'template'] as const;
const MAX_DRAFT_VALUES = 25_000;

const kind = s.oneOf(KINDS, { description: 'template: what new bookings begin from' });
const name = s.textOf({ pattern: NOT_BLANK, maxLength: 256 });
const content = s.anyObject({ description: 'a booking as its screen keeps it; the service does not read it' });
const example = { kind: 'draft', name: 'Boots, autumn', content: { campaign: { name: 'Boots, autumn' } } } as const;

const DRAFT = component('BookingDraft', s.record({ key: s.text, kind, name: s.text, changed_at: s.moment }), {
  ...{ key: 'new-7f3a', kind: 'draft', name: 'Boots, autumn', changed_at: '2026-10-14T12:00:00.000Z' },
});
export type BookingDraft = s.Shape<typeof DRAFT>;
const WHOLE_DRAFT = component('WholeBookingDraft', s.record({ key: s.text, kind, name: s.text, content, changed_at: s.moment }), {
  ...{ key: 'new-7f3a', changed_at: '2026-10-14T12:00:00.000Z', ...example },
});
export type WholeBookingDraft = s.Shape<typeof WHOLE_DRAFT>;
const KEPT = component('KeptBookingDraft', s.closedRecord({ kind, name, content }), example);

const key = { key: textInPath('draft of yours') };
const yours = { needs: 'sign_in', reach: 'any' } as const;

/** Bookings that a person has begun, and templates: nothing of them is booked. */
export const BOOKING_DRAFT_API = defineRoutes({
  listBookingDrafts: {
    ...at('GET', '/api/booking_drafts', 'campaigns'),
    ...yours,
    summary: 'Your drafts and templates of bookings, newest first',
    answer: ok('Those of the token', s.listOf(DRAFT)),
  },
  getBookingDraft: {
    ...at('GET', '/api/booking_drafts/{key}', 'campaigns'),
    ...yours,
    summary: 'A draft or template of yours, with its content',
    parameters: key,
    answer: ok('The draft', WHOLE_DRAFT),
  },
  keepBookingDraft: {
    ...at('PUT', '/api/booking_drafts/{key}', 'campaigns'),
    ...yours,
    summary: 'Keep a draft or template under a key of your choice',
    parameters: key,
    body: jsonBody(KEPT, 'The draft has faults.', { maxBytes: MAX_CREATIVE_BYTES, maxValues: MAX_DRAFT_VALUES }),
    answer: ok('Kept', DRAFT),
    problems: ['conflict'],
  },
  deleteBookingDraft: {
    ...at('DELETE', '/api/booking_drafts/{key}', 'campaigns'),
    ...yours,
    summary: 'Delete a draft or template of yours',
    parameters: key,
    answer: noContent('Deleted'),
  },
});
