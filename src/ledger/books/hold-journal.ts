import { billsOnOf, holdsPrice } from '../limits.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { ReservationMoments } from '../reservation.ts';

/** What was added to a hold of a line item, or taken out of it. Money in micros. */
export interface HoldChange {
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  /** In days since the epoch. */
  readonly day: number;
  readonly holdEndMs: number;
  readonly count: number;
  readonly micros: number;
}

type Noted = { -readonly [name in keyof HoldChange]: HoldChange[name] };

/**
 * The holds that Redis has granted to this replica, until they are written to Postgres (events/books/). Those of line items without
 * limits are among them: each impression takes its place out of a hold, and a limit may be booked while ads are on their way.
 */
export const createHoldJournal = () => {
  /** By the end of the hold, which all ads of a second share, and by line item and day. */
  let noted = new Map<number, Map<number, Noted>>();
  const add = (
    publisherId: number,
    campaignId: number,
    lineItemId: number,
    day: number,
    holdEndMs: number,
    count: number,
    micros: number,
  ) => {
    let ofEnd = noted.get(holdEndMs);
    if (!ofEnd) noted.set(holdEndMs, (ofEnd = new Map<number, Noted>()));
    // Holds with the same end are of one day, or of two around midnight.
    const key = 2 * lineItemId + (day % 2);
    const before = ofEnd.get(key);
    if (before) {
      before.count += count;
      before.micros += micros;
    } else ofEnd.set(key, { publisherId, campaignId, lineItemId, day, holdEndMs, count, micros });
  };
  return {
    /**
     * On the hot path: an ad that is reserved by a call.
     *
     * @param count ads that were reserved; negative: taken back
     */
    note: (
      publisherId: number,
      { lineItem, campaign, priceMicros }: RankedCandidate,
      { day, holdEndMs }: Pick<ReservationMoments, 'day' | 'holdEndMs'>,
      count: number,
    ): void => {
      if (holdEndMs === 0 || count === 0) return;
      // As reserve.lua holds it.
      add(publisherId, campaign.id, lineItem.id, day, holdEndMs, count, holdsPrice(billsOnOf(lineItem)) ? count * priceMicros : 0);
    },
    /** The changes since the last call, in the order of their keys. */
    take: (): readonly HoldChange[] => {
      const changes = [...noted.values()]
        .flatMap((ofEnd) => [...ofEnd.values()])
        .filter(({ count, micros }) => count !== 0 || micros !== 0);
      noted = new Map();
      return changes.sort((a, b) => a.holdEndMs - b.holdEndMs || a.lineItemId - b.lineItemId || a.day - b.day);
    },
    /** They could not be written. */
    putBack: (changes: readonly HoldChange[]): void => {
      for (const { publisherId, campaignId, lineItemId, day, holdEndMs, count, micros } of changes)
        add(publisherId, campaignId, lineItemId, day, holdEndMs, count, micros);
    },
  };
};

export type HoldJournal = ReturnType<typeof createHoldJournal>;
