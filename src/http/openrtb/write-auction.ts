import { isObject } from '../../base/narrow.ts';
import { composeMarkup } from '../../creative/compose-markup.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { composeNative } from '../../creative/native-markup.ts';
import { shownSize } from '../../decision/ad-query.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { priceInAuction } from '../../decision/ranked-candidate.ts';
import type { PrivacySignals } from '../../context/consent/privacy-signals.ts';
import { endMsOf, type ServedAd } from '../../ledger/hit.ts';
import type { AdAnswer, FilledImp } from '../../serving/serve-ad.ts';
import type { ReadAuction } from './read-auction.ts';
import { writeTrace, type Disclosure } from './write-trace.ts';

/** An impression for an auction: held for a minute, which is the life of a bid on the web (OpenRTB 2.6 implementation notes, 7.2). */
export const AUCTION_HOLD_MS = 60_000;

/** A bid may be shown until its `exp`; its billing notice then has this long to arrive before the hold ends. */
const NOTICE_MS = 5_000;

/** OpenRTB's list of creative markup types. */
const MARKUP_TYPE = { banner: 1, native: 4 } as const;

/**
 * Status codes of the community extension "seat non bid". A reason without such a code is 0,
 * "no bid".
 */
const STATUS_CODES: Readonly<Partial<Record<NoBidReason, number>>> = {
  [NoBidReason.TechnicalError]: 100,
  [NoBidReason.CountersUnavailable]: 100,
  [NoBidReason.BiddersOutOfTime]: 101,
  [NoBidReason.SizeOrFormat]: 202,
  [NoBidReason.Unsuitable]: 202,
  [NoBidReason.Consent]: 204,
  [NoBidReason.BelowFloor]: 301,
};

export interface AuctionAnswer {
  readonly auction: ReadAuction;
  readonly answer: AdAnswer;
  readonly signals: PrivacySignals;
  /** The address of this service: every URL in the answer is absolute. */
  readonly base: string;
  /** How much the trace tells. */
  readonly disclosure: Disclosure;
}

/** The OpenRTB 2.6 BidResponse of an auction as JSON text. */
export type WriteAuction = (answer: AuctionAnswer) => string;

/**
 * `burl` alone counts the impression: the markup has no pixel of ours, so that an ad that is shown
 * twice, or prefetched, bills once. Prebid.js calls it when it renders the ad.
 */
export const createAuctionWriter = ({ signToken }: { readonly signToken: (ad: ServedAd) => string }): WriteAuction =>
  function writeAuction(given) {
    const { auction, answer, disclosure } = given;
    const { id } = auction.request;
    const seats = new Map<string, object[]>();
    const unfilled = [...answer.unfilled];
    for (const filled of answer.filled) {
      const bid = writeBid(filled, auction.test ? undefined : signToken(filled.won.ad), given);
      if (bid) add(seats, auction, filled.imp.impId, bid);
      // Only a bidder's own native ad: direct ones without the assets are not chosen.
      else unfilled.push({ impId: filled.imp.impId, reason: NoBidReason.Unsuitable });
    }
    const nonbids = new Map<string, object[]>();
    for (const { impId, reason } of unfilled)
      add(nonbids, auction, impId, { impid: impId, statuscode: STATUS_CODES[reason] ?? 0, ext: { nbr: reason } });
    const nbr = answer.reason ?? (seats.size === 0 ? NoBidReason.Unsuitable : undefined);
    const head = {
      id,
      cur: auction.currency,
      seatbid: [...seats].map(([seat, bid]) => ({ seat, bid })),
      ...(nbr !== undefined && { nbr }),
    };
    const seatnonbid = [...nonbids].map(([seat, nonbid]) => ({ seat, nonbid }));
    const debug = answer.trace ? `,"debug":{"trace":${writeTrace(answer.trace, disclosure)}}` : '';
    return `${JSON.stringify(head).slice(0, -1)},"ext":{"seatnonbid":${JSON.stringify(seatnonbid)}${debug}}}`;
  };

const add = (bySeat: Map<string, object[]>, { seats }: ReadAuction, impId: string, one: object): void => {
  const seat = seats.get(impId) ?? '';
  const of = bySeat.get(seat) ?? [];
  bySeat.set(seat, of);
  of.push(one);
};

const writeBid = ({ imp, won: { candidate, bid, ad } }: FilledImp, token: string | undefined, given: AuctionAnswer): object | undefined => {
  const { auction, base, signals } = given;
  const { creative, lineItem } = candidate;
  const click = token === undefined ? (creative.clickUrl ?? base) : `${base}/click?t=${token}`;
  const { content } = creative;
  const size = shownSize(bid ?? creative, imp);
  let adm: string;
  if (content.format === 'native') {
    const assets = bid ? (JSON.parse(bid.adm) as Readonly<Record<string, unknown>>) : content.assets;
    const native = composeNative(assets, bid ? null : creative.clickUrl, imp.terms?.native, { base, click });
    if (!native) return undefined;
    adm = JSON.stringify(native);
  } else {
    adm = fillMacros(bid ? bid.adm : composeMarkup(creative, size, base, click), { ...signals, click, cacheBuster: ad.tokenId });
  }
  const adomain = bid ? bid.adomain : creative.advertiserDomain === null ? [] : [creative.advertiserDomain];
  const [advertiser] = adomain;
  // Sold by the publisher itself: the advertiser is who pays (DSA, article 26).
  const own = advertiser === undefined ? undefined : { behalf: advertiser, paid: advertiser, adrender: 0 };
  const dsa = bid ? bid.dsa : own;
  return {
    id: token === undefined ? `test-${imp.impId}` : ad.tokenId,
    impid: imp.impId,
    price: Math.round(priceInAuction(candidate) * auction.rate) / 1e6,
    ...(token !== undefined && { burl: `${base}/impression?t=${token}` }),
    adm,
    ...(adomain.length > 0 && { adomain }),
    ...(bid && bid.cat.length > 0 && { cat: bid.cat, cattax: bid.cattax }),
    cid: String(lineItem.campaignId),
    crid: String(creative.id),
    ...(lineItem.dealId !== null && { dealid: lineItem.dealId }),
    ...(content.format === 'native' ? { mtype: MARKUP_TYPE.native } : { mtype: MARKUP_TYPE.banner, w: size.width, h: size.height }),
    exp: expiryS(ad),
    ...(dsa && asksForDsa(auction) && { ext: { dsa } }),
  };
};

const expiryS = (ad: ServedAd): number => {
  const lifeMs = Math.min(endMsOf({ ad, kind: 'impression' }) - ad.servedAtMs, AUCTION_HOLD_MS);
  return Math.max(1, Math.floor((lifeMs - NOTICE_MS) / 1000));
};

const asksForDsa = ({ request: { regs } }: ReadAuction): boolean => {
  const ext = isObject(regs) ? regs['ext'] : undefined;
  return isObject(ext) && isObject(ext['dsa']);
};
