import type { BidOutcome } from '../bid-outcome.ts';
import type { BidderObserver, BidderOffer, BidderStep, ImpressionStep } from '../bidder-observer.ts';
import type { Bid, BidContext } from '../bidder-port.ts';
import type { CallResult } from './answers-of-call.ts';
import { OPEN_MARKET, type BidderCall } from './group-invitations.ts';

/**
 * Counts what a bidder was asked and answered: for the bidder, and for each impression and each deal
 * that was offered for it.
 */
export const countSteps = (
  observe: BidderObserver,
  { bidder, context }: { readonly bidder: string; readonly context: BidContext },
  { bidder: { id }, opportunities }: BidderCall,
  read: CallResult['read'],
): void => {
  const count = (step: BidderStep, times: number): void => observe.step(bidder, step, times);
  const isAnswered = !('kind' in read);
  if (!isAnswered && read.outcome === 'slow') return count('skipped', 1);
  count('calls', 1);
  count('impressions', opportunities.length);
  const isLate = !isAnswered && read.outcome === 'timeout';
  if (isLate) count('timeouts', 1);
  if (isAnswered) {
    count('bids', read.best.length);
    count('refused', read.refused.length);
  }
  // Tests of staff are in no report.
  if (context.test) return;
  const placements = new Map(opportunities.map(({ impId, placement }) => [impId, placement.id]));
  const offerOf = (impId: string): Impression => ({
    publisherId: context.publisher.id,
    placementId: placements.get(impId) ?? '',
    bidderId: id === 0 ? null : id,
  });
  for (const { impId, floors } of opportunities) {
    for (const dealId of [undefined, ...floors.keys()]) {
      countStep(observe, { ...offerOf(impId), dealId }, 'impressions');
      if (isLate) countStep(observe, { ...offerOf(impId), dealId }, 'timeouts');
    }
  }
  if (!isAnswered) return;
  for (const { impId, deal } of read.best) countBid(observe, offerOf(impId), deal, 'bids');
  for (const { impId, deal, outcome } of read.refused) if (impId !== null) countBid(observe, offerOf(impId), deal, 'refused', outcome);
};

/** Counts a bid that was served. */
export const countWin = (observe: BidderObserver, { bidder, deal, placementId, invitation: { lineItem } }: Bid): void => {
  observe.step(bidder, 'wins', 1);
  const { publisherId, bidderId } = lineItem;
  countBid(observe, { publisherId, placementId, bidderId }, deal, 'wins');
};

type Impression = Omit<BidderOffer, 'dealId'>;

/** @param deal undefined: none that can be told */
const countBid = (observe: BidderObserver, of: Impression, deal: string | undefined, step: ImpressionStep, outcome?: BidOutcome): void => {
  countStep(observe, { ...of, dealId: undefined }, step, outcome);
  if (deal !== undefined) countStep(observe, { ...of, dealId: deal }, step, outcome);
};

const countStep = (observe: BidderObserver, offer: BidderOffer, step: ImpressionStep, outcome?: BidOutcome): void => {
  if (offer.dealId !== OPEN_MARKET) observe.impression(offer, step, outcome);
};
