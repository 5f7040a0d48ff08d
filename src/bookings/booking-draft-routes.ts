import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import type { BOOKING_DRAFT_API } from './booking-draft-api.ts';
import { MAX_BOOKING_DRAFTS, MAX_KEY_LENGTH, type BookingDraftStore } from './booking-draft-store.ts';

const WORDS = 'draft of yours';
/** Postgres stores no NUL in a text. */
const isKey = (key: string): boolean => key.length <= MAX_KEY_LENGTH && !key.includes('\0');

/** Bookings that a person has begun, and templates. */
export const bookingDraftRoutes = (store: BookingDraftStore): Handlers<typeof BOOKING_DRAFT_API> => ({
  listBookingDrafts: async (_asked, { actor }) => answer(await store.list(actor)),
  getBookingDraft: async ({ key }, { actor }) => {
    const found = isKey(key) ? await store.find(actor, key) : undefined;
    return found ? answer(found) : noSuch(WORDS);
  },
  keepBookingDraft: async ({ key, body }, { actor }) => {
    if (!isKey(key))
      return refuse('invalid_request', 'The key has a fault.', [
        { pointer: '/key', detail: `must have at most ${MAX_KEY_LENGTH} characters` },
      ]);
    const kept = await store.keep(actor, { key, ...body, name: body.name.trim() });
    return kept ? answer(kept) : refuse('conflict', `You have ${MAX_BOOKING_DRAFTS} drafts and templates: delete one first.`);
  },
  deleteBookingDraft: async ({ key }, { actor }) => (isKey(key) && (await store.remove(actor, key)) ? done() : noSuch(WORDS)),
});
