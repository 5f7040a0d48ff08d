import type { RecordReach } from '../api/call-rights.ts';
import { answer, refuse, type Handlers } from '../api/route.ts';
import type { ProblemCode } from '../http/problems/problem.ts';
import { bookCampaign, refusalOfBooking, type BookedParts } from './book-campaign.ts';
import type { BOOKING_API } from './booking-api.ts';
import type { CatalogWriter } from './catalog-writer.ts';
import type { Refused } from './written.ts';

export interface BookingRoutesOptions {
  readonly writer: CatalogWriter;
  readonly reach: RecordReach;
  readonly now: () => number;
}

/** A campaign with its line items and creatives in one transaction. */
export const bookingRoutes = ({ writer, reach, now }: BookingRoutesOptions): Handlers<typeof BOOKING_API> => ({
  bookCampaign: async ({ body, dry_run: dryRun }, { caller }) => {
    const isDry = dryRun === 'true';
    let parts: BookedParts | undefined;
    await (isDry ? writer.tryOut : writer.together)(async (records, trx) => {
      parts = await bookCampaign(records, trx, body, { caller, reach, nowMs: now() });
      return parts.written;
    });
    const { campaign, lineItems, faults, warnings, stops, written } = parts!;
    const why = refusalOfBooking(written);
    if (why !== undefined && !isDry) {
      const detail = `The booking was refused, and nothing was changed: ${faults.length} faults.`;
      return refuse(CODES[why] ?? 'invalid_request', detail, faults);
    }
    return answer({
      ...{ applied: !isDry, campaign, faults, warnings, stops },
      line_items: lineItems.map(({ lineItem, creatives }) => ({ line_item: lineItem, creatives })),
    });
  },
});

const CODES: Partial<Readonly<Record<Refused['refusal'], ProblemCode>>> = {
  ...{ stale: 'precondition_failed', not_found: 'not_found', forbidden: 'forbidden', approval_required: 'approval_required' },
};
