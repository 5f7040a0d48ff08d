import { isWithinDomains } from '../base/is-within-domains.ts';
import { advertiserBlockOf } from '../catalog/model/advertiser.ts';
import { blocksCategories, IAB_3_0 } from '../catalog/model/block-list.ts';
import { isVideo, rulesOf as targetingOf, type Booking, type Campaign, type Flight, type LineItem } from '../catalog/model/entities.ts';
import { stopOf, STOPS } from '../catalog/model/stops.ts';
import { composeNative } from '../creative/native-markup.ts';
import { matchTargeting } from '../targeting/match-targeting.ts';
import { TargetingQuery } from '../targeting/targeting-query.ts';
import { videoMisfit } from '../catalog/model/video-misfit.ts';
import { fitsImp, floorFor, type AdQuery, type AuctionTerms, type ImpQuery } from './ad-query.ts';
import { priceInAuction } from './ranked-candidate.ts';
import { NoBidReason } from './no-bid-reason.ts';

/** One reason to refuse a candidate before its limits are checked. Pure. */
export interface Rule {
  readonly reason: NoBidReason;
  /**
   * When the rule can be decided: for as long as a snapshot is used (candidates that it refuses are
   * left out of the index), for all candidates of a request together by the targeting index, or
   * candidate by candidate, those `in auctions` only for an impression with terms.
   */
  readonly decided: 'at load' | 'by the index' | 'per candidate' | 'in auctions';
  readonly refuses: (booking: Booking, query: AdQuery, imp: ImpQuery) => boolean;
  /**
   * The reason with this candidate's figures. Called only for a candidate that the rule refuses.
   */
  readonly words: (booking: Booking, query: AdQuery, imp: ImpQuery) => string;
}

/**
 * The rules that need no counter, in the order of the decision. Ranking, trace and explain all read
 * this table; the ranking leaves targeting to the index (targeting/targeting-index.ts), which
 * evaluates that rule for all candidates together.
 */
export const RULES: readonly Rule[] = [
  {
    reason: NoBidReason.SizeOrFormat,
    decided: 'at load',
    refuses: ({ creative }, _query, { formats }) => !formats.includes(creative.content.format),
    words: ({ creative }) => `the placement does not allow ${creative.content.format}`,
  },
  {
    reason: NoBidReason.SizeOrFormat,
    decided: 'at load',
    refuses: ({ creative }, _query, { video }) => video !== undefined && videoMisfit(creative.content, video) !== undefined,
    words: ({ creative }, _query, { video }) => videoMisfit(creative.content, video) ?? '',
  },
  {
    reason: NoBidReason.SizeOrFormat,
    decided: 'per candidate',
    // A creative with a size must fit; one without a size fits any.
    refuses: ({ creative }, _query, imp) => !fitsImp(creative, imp),
    words: ({ creative: { width, height } }, _query, { size, otherSizes }) =>
      `${width ?? 'any'}×${height ?? 'any'} does not fit ${[size, ...otherSizes].map((one) => `${one.width}×${one.height}`).join(' or ')}`,
  },
  {
    reason: NoBidReason.AdvertiserBlocked,
    decided: 'at load',
    refuses: ({ campaign }, _query, { blockedAdvertisers }) =>
      blockedAdvertisers !== undefined && advertiserBlockOf(campaign, blockedAdvertisers) !== undefined,
    words: ({ campaign }, _query, { blockedAdvertisers }) => (blockedAdvertisers && advertiserBlockOf(campaign, blockedAdvertisers)) ?? '',
  },
  {
    reason: NoBidReason.NotInFlight,
    decided: 'at load',
    refuses: (booking) => stopOf(booking) !== null,
    words: (booking) => {
      const stop = stopOf(booking);
      return stop === null ? '' : STOPS[stop].words;
    },
  },
  {
    reason: NoBidReason.NotInFlight,
    decided: 'per candidate',
    refuses: ({ lineItem, campaign }, { atMs }) => !isInFlight(lineItem.flight, atMs) || !isInFlight(campaign.flight, atMs),
    words: ({ lineItem, campaign }, { atMs }) =>
      atMs < Math.max(lineItem.flight.startMs, campaign.flight.startMs) ? 'the flight has not started' : 'the flight has ended',
  },
  {
    reason: NoBidReason.OffSchedule,
    decided: 'by the index',
    refuses: ({ lineItem }, { targeting }) => isOff(lineItem, targeting),
    words: ({ lineItem }) =>
      lineItem.sales.schedule?.zone === 'visitor' ? 'it serves at other hours of the visitor' : 'it serves at other hours of the publisher',
  },
  {
    reason: NoBidReason.Targeting,
    decided: 'by the index',
    refuses: ({ lineItem }, { targeting }) => matchTargeting(targetingOf(lineItem), targeting) !== undefined,
    words: ({ lineItem }, { targeting }) => {
      const refusal = matchTargeting(targetingOf(lineItem), targeting);
      return refusal ? `${refusal.rule}: ${refusal.detail}` : '';
    },
  },
  {
    reason: NoBidReason.Consent,
    decided: 'per candidate',
    refuses: ({ lineItem }, { mayRemember }) => !mayRemember && lineItem.frequencyCaps.length > 0,
    words: () => 'a frequency cap needs consent to remember the user',
  },
  {
    reason: NoBidReason.PrivateAuction,
    decided: 'in auctions',
    refuses: ({ lineItem }, _query, { terms }) => terms?.deals !== undefined && !terms.deals.has(lineItem.dealId ?? ''),
    words: ({ lineItem: { dealId } }) =>
      `the auction is private, and ${dealId === null ? 'the line item has no deal' : `${dealId} is none of its deals`}`,
  },
  {
    reason: NoBidReason.Unsuitable,
    decided: 'in auctions',
    refuses: (booking, _query, { terms }) => terms !== undefined && unsuitable(booking, terms) !== undefined,
    words: (booking, _query, { terms }) => (terms && unsuitable(booking, terms)) ?? '',
  },
  {
    reason: NoBidReason.BelowFloor,
    decided: 'in auctions',
    // The price of a programmatic line item is its bid, which is checked when it comes.
    refuses: (booking, _query, { terms }) =>
      terms !== undefined &&
      (booking.lineItem.type === 'direct'
        ? priceInAuction(booking) < floorOf(terms, booking)
        : floorFor(terms, booking.lineItem) === Infinity),
    words: (booking, _query, { terms }) => {
      const floorMicros = terms ? floorOf(terms, booking) : 0;
      return floorMicros === Infinity
        ? 'there is no exchange rate for the currency of the floor'
        : `${priceInAuction(booking) / 1e6} is below the floor of ${floorMicros / 1e6} ${booking.campaign.currency}`;
    },
  },
];

/** With what the player asks for each second of the ad. */
const floorOf = (terms: AuctionTerms, { creative: { content }, lineItem }: Booking): number => {
  const floorMicros = floorFor(terms, lineItem);
  const perSecond = terms.video?.min_cpm_per_second;
  if (perSecond === undefined || !isVideo(content)) return floorMicros;
  return Math.max(floorMicros, (perSecond * 1e6 * (content.video.durationMs ?? 0)) / 1000);
};

/** What of a creative is not what an auction takes; undefined: nothing. A bidder's creative is read when it comes. */
const unsuitable = (
  { creative, lineItem }: Booking,
  { formats, native, video, pod, disclosed, selfDisclosed, blocked }: AuctionTerms,
): string | undefined => {
  const { content } = creative;
  if (!formats.includes(content.format)) return `the impression does not take ${content.format}`;
  if (lineItem.type === 'programmatic') return undefined;
  const misfit = (video && videoMisfit(content, video)) ?? (pod && videoMisfit(content, { max_duration: pod.maxMs / 1000 }));
  if (misfit !== undefined) return misfit;
  if (content.format === 'native' && !composeNative(content.assets, creative.clickUrl, native))
    return 'it lacks a destination, or an asset that the impression requires';
  // Fields of a creative are decoded when they are read.
  if (blocked && blocked.badv.size > 0 && isWithinDomains(creative.advertiserDomain?.toLowerCase() ?? '', blocked.badv))
    return 'the auction blocks its advertiser';
  // An advertiser without categories is not judged by them.
  if (blocked && creative.categories.length > 0 && blocksCategories(blocked, creative.categories, IAB_3_0))
    return 'the auction blocks its category';
  if (selfDisclosed) return 'the page cannot show who pays, and neither does the ad';
  return disclosed && creative.advertiserDomain === null && creative.disclosure.length === 0
    ? 'it names no advertiser to disclose'
    : undefined;
};

const isOff = ({ sales: { schedule } }: LineItem, targeting: TargetingQuery): boolean =>
  schedule !== null && matchTargeting([schedule.rule], targeting) !== undefined;

/** What the ranking checks candidate by candidate: the index holds no others. */
export const RULES_PER_CANDIDATE: readonly Rule[] = RULES.filter(({ decided }) => decided === 'per candidate');

/** The same for an impression with terms. */
export const RULES_IN_AUCTIONS: readonly Rule[] = RULES.filter(({ decided }) => decided === 'per candidate' || decided === 'in auctions');

/**
 * The rules that depend neither on the user nor on an auction: whether a candidate could run in this
 * place at this moment.
 */
export const RULES_OF_PLACE: readonly Rule[] = RULES.filter(
  ({ reason, decided }) => decided !== 'in auctions' && reason !== NoBidReason.Targeting && reason !== NoBidReason.Consent,
);

/** The same at any hour. */
export const RULES_OF_PLACE_AT_ALL_HOURS: readonly Rule[] = RULES_OF_PLACE.filter(({ reason }) => reason !== NoBidReason.OffSchedule);

/** The rules that apply to an impression. */
export const rulesOf = ({ terms }: ImpQuery): readonly Rule[] => (terms ? RULES : RULES.filter(({ decided }) => decided !== 'in auctions'));

/** The first rule that refuses a candidate; undefined: it passes all of them. */
export const firstRefusal = (rules: readonly Rule[], booking: Booking, query: AdQuery, imp: ImpQuery): Rule | undefined => {
  for (let i = 0; i < rules.length; i++) if (rules[i]!.refuses(booking, query, imp)) return rules[i];
  return undefined;
};

/** Whether a line item may run at a moment: not stopped, in its own flight and in its campaign's. */
export const isLive = (lineItem: LineItem, campaign: Campaign, atMs: number): boolean =>
  lineItem.stop === null && campaign.stop === null && isInFlight(lineItem.flight, atMs) && isInFlight(campaign.flight, atMs);

export const isInFlight = ({ startMs, endMs }: Flight, atMs: number): boolean => startMs <= atMs && atMs < endMs;

const NO_PAIRS = new TargetingQuery([]);

/**
 * Why a creative cannot be served on any request, at any size and hour, in words; undefined: it can.
 */
export const obstacleOf = (booking: Booking, formats: ImpQuery['formats'], atMs: number): string | undefined => {
  const query: AdQuery = { targeting: NO_PAIRS, atMs, mayRemember: true };
  const imp: ImpQuery = { impId: '', placementId: '', size: { width: Infinity, height: Infinity }, otherSizes: [], formats };
  return firstRefusal(RULES_OF_PLACE_AT_ALL_HOURS, booking, query, imp)?.words(booking, query, imp);
};
