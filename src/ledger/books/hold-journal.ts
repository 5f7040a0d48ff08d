import { isUnbounded, billsOnOf } from '../limits.ts';
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

/**
 * The holds that Redis has granted to this replica, until they are written to Postgres (events/books/). Line items without
 * limits are left out: nothing is counted against theirs.
 */
export interface HoldJournal {
  /** @param count ads that were reserved; negative: taken back */
  note(publisherId: number, candidate: RankedCandidate, moments: Pick<ReservationMoments, 'day' | 'holdEndMs'>, count: number): void;
  /** The changes since the last call, in the order of their keys. */
  take(): readonly HoldChange[];
  /** They could not be written. */
  putBack(changes: readonly HoldChange[]): void;
}

export const createHoldJournal = (): HoldJournal => {
  let noted = new Map<string, HoldChange>();
  const add = (change: HoldChange): void => {
    const key = `${change.lineItemId} ${change.day} ${change.holdEndMs}`;
    const before = noted.get(key);
    noted.set(key, before ? { ...before, count: before.count + change.count, micros: before.micros + change.micros } : change);
  };
  return {
    note: (publisherId, { lineItem, campaign, priceMicros }, { day, holdEndMs }, count) => {
      if (holdEndMs === 0 || count === 0 || isUnbounded(lineItem, campaign)) return;
      // As reserve.lua holds it.
      const micros = billsOnOf(lineItem) === 'impression' ? count * priceMicros : 0;
      add({ publisherId, campaignId: campaign.id, lineItemId: lineItem.id, day, holdEndMs, count, micros });
    },
    take: () => {
      const changes = [...noted.values()].filter(({ count, micros }) => count !== 0 || micros !== 0);
      noted = new Map();
      return changes.sort((a, b) => a.holdEndMs - b.holdEndMs || a.lineItemId - b.lineItemId || a.day - b.day);
    },
    putBack: (changes) => changes.forEach(add),
  };
};
