import { under } from '../base/under.ts';
import type { AdRequest } from './ad-request.ts';

/** Which share of a publisher's visitors is sampled. Changed in its place: a request reads it. */
export interface Share {
  /** Of the 32-bit hash of a visitor: those below it are sampled. */
  threshold: number;
  /** How many requests each sampled one stands for: a power of two. */
  weight: number;
  /** Requests of visitors that may not be measured since the last one that was sampled. */
  passed: number;
}

const RANGE = 2 ** 32;
const MAX_WEIGHT = 2 ** 20;

/**
 * Shares are halves, quarters and so on, so that the visitors of a smaller share are among those of a larger one: a change of
 * the share breaks the history of no visitor that stays.
 */
export const createShares = (perDay: number) => {
  const shares = new Map<number, Share>();
  const newShare = (): Share => ({ threshold: perDay === 0 ? 0 : RANGE, weight: 1, passed: 0 });
  const shareOf = (publisherId: number): Share => under(shares, publisherId, newShare);
  return {
    of: shareOf,
    /** @param requests impressions that pages of each publisher asked for on a day */
    adapt: (requests: ReadonlyMap<number, number>): void => {
      if (perDay === 0) return;
      for (const [publisherId, count] of requests) {
        const share = shareOf(publisherId);
        share.weight = Math.min(2 ** Math.max(0, Math.round(Math.log2(count / perDay))), MAX_WEIGHT);
        share.threshold = RANGE / share.weight;
      }
    },
  };
};

/** A share that stays: one visitor in so many; 0: none. */
export const shareOfVisitors = (oneIn: number): Share => ({ threshold: oneIn === 0 ? 0 : RANGE / oneIn, weight: oneIn, passed: 0 });

/** Whether a request is sampled: of visitors in whole, of those who may not be measured every n-th request. */
export const isSampled = (share: Share, request: AdRequest): boolean => {
  if (share.threshold === 0) return false;
  const { consent, userHash, seal } = request;
  const visitor = consent.measure === null ? (userHash ?? seal) : undefined;
  return visitor === undefined ? isNth(share) : isChosen(share, visitor);
};

const isNth = (share: Share): boolean => {
  if (++share.passed < share.weight) return false;
  share.passed = 0;
  return true;
};

/** Characters of a name that are hashed: a user hash and a seal are uniform in them. */
const HASHED = 6;

/**
 * Whether a visitor is sampled.
 * @param visitor its user hash, or its seal, of which browser and network are hashed
 */
export const isChosen = ({ threshold }: Share, visitor: string): boolean => {
  if (threshold === RANGE) return true;
  let hash = 0x811c9dc5;
  for (let i = 0; i < HASHED; i++) hash = Math.imul(hash ^ visitor.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 < threshold;
};
