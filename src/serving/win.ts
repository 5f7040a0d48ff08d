import { countedOf } from '../ledger/frequency-counters.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import type { FreeHolds } from '../ledger/free-holds.ts';
import type { ServedAd, SpendLimits } from '../ledger/hit.ts';
import { billsOnOf, holdsPrice, isUnbounded, laterPriceMicros, limitsOf } from '../ledger/limits.ts';
import type { ReservationMoments } from '../ledger/reservation.ts';
import type { Draft, Page } from './draft.ts';
import type { Won } from './opportunity.ts';
import type { ShownSizes } from './shown-sizes.ts';

export interface WinOptions {
  /** @param atMs when the ad is served */
  readonly newId: (atMs: number) => string;
  readonly freeHolds: FreeHolds;
  readonly shownSizes: ShownSizes;
}

/** Notes that the answer shows the candidate, and returns the ad that its token will carry. */
export const win = (
  { newId, freeHolds, shownSizes }: WinOptions,
  { request, shown, isFree, sessionCaps }: Page,
  { imp, bids, placement }: Draft,
  candidate: RankedCandidate,
  { tokenExpS, holdEndMs, day }: ReservationMoments,
): Won => {
  const { lineItem, creative, priceMicros } = candidate;
  shown.add(candidate);
  if (request.sessionUser !== null) sessionCaps.take(request.sessionUser, candidate, request.query.atMs);
  const bid = candidate.bid < 0 ? undefined : bids[candidate.bid];
  const laterMicros = laterPriceMicros(lineItem);
  const billsOn = billsOnOf(lineItem);
  const counted = countedOf(candidate);
  const client = request.client === undefined || isUnbounded(lineItem, candidate.campaign) ? undefined : request.client;
  if (client !== undefined && isFree) freeHolds.hold(request.publisher.id, client, holdEndMs - request.query.atMs, request.query.atMs);
  const ad: ServedAd = {
    tokenId: newId(request.query.atMs),
    publisherId: request.publisher.id,
    campaignId: lineItem.campaignId,
    lineItemId: lineItem.id,
    creativeId: creative.id,
    placementId: imp.placementId,
    size: placement && shownSizes({ publisherId: request.publisher.id, creative, bid, imp, placement }),
    // What is held bills as it was held: an ad that was kept for its page may have another price since.
    priceMicros: laterMicros === undefined || holdsPrice(billsOn) ? priceMicros : laterMicros,
    billsOn,
    tokenExpS,
    holdEndMs,
    day,
    servedAtMs: request.query.atMs,
    userHash: counted ? request.userHash : null,
    billingNotice: typeof bid?.billingNoticeUrl === 'string',
    spendBounds: laterMicros === undefined ? undefined : spendBoundsOf(candidate),
    // Without a user nothing takes a place in Redis.
    counted: request.userHash === null ? undefined : counted,
    unmeasured: request.consent.measure === null ? undefined : true,
    client,
    isFree: client !== undefined && isFree ? true : undefined,
    seal: request.seal,
  };
  return { candidate, bid, ad };
};

/** undefined: the line item has no limit of spend, and its token does not grow. */
const spendBoundsOf = ({ lineItem, campaign }: RankedCandidate): SpendLimits | undefined => {
  const { dailySpendMicros, budgetMicros, campaignBudgetMicros, campaignDailyMicros } = limitsOf(lineItem, campaign);
  const bounds = { dailySpendMicros, budgetMicros, campaignBudgetMicros, campaignDailyMicros };
  return Object.values(bounds).some((bound) => bound !== null) ? bounds : undefined;
};
