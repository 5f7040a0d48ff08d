import { IMPRESSION_STEPS, type BidderOffer, type ImpressionStep } from '../bidders/bidder-observer.ts';
import type { BidCount } from './postgres/request-counts.ts';

/** Counts what bidders answered. @param maxRows different offers and reasons; more are not counted */
export const createBidTable = (maxRows: number) => {
  let rows = new Map<string, BidCount & { readonly steps: Record<ImpressionStep, number> }>();
  return {
    /** One more at a step. @param reason why a bid was refused; '': any other step. Returns false when the table is full */
    add: (offer: BidderOffer, step: ImpressionStep, reason: string): boolean => {
      // The ids of placements and deals may have any character, so lengths separate them.
      const { publisherId, placementId, bidderId, dealId = '' } = offer;
      const key = `${publisherId} ${bidderId ?? 0} ${placementId.length} ${placementId}${reason} ${dealId}`;
      let row = rows.get(key);
      if (!row) {
        if (rows.size >= maxRows) return false;
        row = { offer, reason, steps: Object.fromEntries(IMPRESSION_STEPS.map((one) => [one, 0])) as Record<ImpressionStep, number> };
        rows.set(key, row);
      }
      row.steps[step]++;
      return true;
    },
    get size(): number {
      return rows.size;
    },
    /** What was counted since the last call. */
    take: (): readonly BidCount[] => {
      const counts = [...rows.values()];
      rows = new Map();
      return counts;
    },
  };
};
