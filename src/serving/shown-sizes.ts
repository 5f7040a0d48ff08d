import { under } from '../base/under.ts';
import type { Creative, Placement } from '../catalog/model/entities.ts';
import { packSize } from '../ledger/ad-size.ts';
import { shownSize, type ImpQuery, type OwnSize } from '../decision/ad-query.ts';

interface Shown {
  readonly publisherId: number;
  readonly creative: Pick<Creative, 'width' | 'height'>;
  readonly bid: OwnSize | undefined;
  readonly imp: ImpQuery;
  readonly placement: Placement;
}

/** The size in which an ad counts as shown (ledger/ad-size.ts). */
export type ShownSizes = (shown: Shown) => number;

/** Of each publisher. */
const MAX_UNBOOKED = 64;

/**
 * Reports have a row for each size, so neither requests nor bids may add any number of them: after MAX_UNBOOKED
 * an ad in a size that is neither its creative's nor its placement's counts in that of the placement.
 */
export const createShownSizes = (): ShownSizes => {
  const unbooked = new Map<number, Set<number>>();
  const newSizes = (): Set<number> => new Set();
  const isKept = (publisherId: number, size: number): boolean => {
    const sizes = under(unbooked, publisherId, newSizes);
    if (sizes.has(size)) return true;
    return sizes.size < MAX_UNBOOKED && sizes.add(size).has(size);
  };
  return ({ publisherId, creative, bid, imp, placement }) => {
    const { width, height } = shownSize(bid ?? creative, imp);
    const is = (booked: OwnSize): boolean => width === booked.width && height === booked.height;
    const size = packSize(width, height);
    return is(placement) || is(creative) || isKept(publisherId, size) ? size : packSize(placement.width, placement.height);
  };
};
