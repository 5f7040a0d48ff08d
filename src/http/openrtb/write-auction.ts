import { randomBytes } from 'node:crypto';
import { isVideo } from '../../catalog/model/entities.ts';
import { addressesOf, type Addresses, type AddressSettings } from '../../creative/absolute-address.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { composeNative } from '../../creative/native-markup.ts';
import { LATEST_VAST } from '../../catalog/model/video-rules.ts';
import { shownSize, type AdSize } from '../../decision/ad-query.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { priceInAuction } from '../../decision/ranked-candidate.ts';
import type { PrivacySignals } from '../../context/consent/privacy-signals.ts';
import { endMsOf, type ServedAd } from '../../ledger/hit.ts';
import type { AdAnswer, FilledImp, UnfilledImp } from '../../serving/serve-ad.ts';
import { advertiserFields, ownDsa } from './advertiser-fields.ts';
import { markupOf } from './markup-of.ts';
import { createPreparedBids } from './prepared-bids.ts';
import type { ReadAuction } from './read-auction.ts';
import { writeTrace, type Disclosure } from './write-trace.ts';

/** An impression for an auction: held for a minute, which is the life of a bid on the web (OpenRTB 2.6 implementation notes, 7.2). */
export const AUCTION_HOLD_MS = 60_000;

/** A bid may be shown until its `exp`; its billing notice then has this long to arrive before the hold ends. */
const NOTICE_MS = 5_000;

/** OpenRTB's list of creative markup types. */
const MARKUP_TYPE = { html: 1, banner: 1, video: 2, audio: 3, native: 4 } as const;

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

export interface AuctionWriterOptions extends Omit<AddressSettings, 'publicUrl'> {
  readonly signToken: (ad: ServedAd) => string;
}

/** The OpenRTB 2.6 BidResponse of an auction as JSON text. */
export type WriteAuction = (answer: AuctionAnswer) => string;

/**
 * `burl` alone counts the impression: the markup has no pixel of ours, so that an ad that is shown
 * twice, or prefetched, bills once. Prebid.js calls it when it renders the ad.
 *
 * Writes text instead of objects, as write-answer.ts does.
 */
export const createAuctionWriter = ({ signToken, assetsUrl, creativeOrigin }: AuctionWriterOptions): WriteAuction => {
  const prepared = createPreparedBids(
    (candidate, size, adm) => membersOf({ candidate, bid: undefined }, size, adm),
    randomBytes(12).toString('hex'),
  );

  const writeBid = (filled: FilledImp, given: AuctionAnswer, addresses: Addresses): string | undefined => {
    const { imp } = filled;
    const { candidate, bid, ad } = filled.won;
    const { auction, base } = given;
    const token = auction.test ? undefined : signToken(ad);
    const size = shownSize(bid ?? candidate.creative, imp);
    const { content } = candidate.creative;
    const isPreparable = token !== undefined && !bid && content.format !== 'native';
    const version = imp.terms?.vast ?? LATEST_VAST;
    const members =
      (isPreparable ? prepared({ candidate, size, ad, token, version }, addresses) : undefined) ??
      composeMembers(filled, size, token, given, addresses);
    if (members === undefined) return undefined;
    const price = Math.round(priceInAuction(candidate) * auction.rate) / 1e6;
    const { dsa: asked } = auction;
    const dsa = asked && (bid ? bid.dsa : ownDsa(candidate.creative, asked));
    return (
      `{"id":${token === undefined ? JSON.stringify(`test-${imp.impId}`) : `"${ad.tokenId}"`},"impid":${JSON.stringify(askedImpId(imp))},"price":${price},` +
      // The Impression of a video bills when it plays.
      (token === undefined || isVideo(content) ? '' : `"burl":${JSON.stringify(`${base}/impression?t=${token}`)},`) +
      `${members},"exp":${expiryS(ad)}${dsa ? `,"ext":${JSON.stringify({ dsa })}` : ''}}`
    );
  };

  return function writeAuction(given) {
    const { auction, answer, disclosure } = given;
    const addresses = addressesOf({ publicUrl: given.base, assetsUrl, creativeOrigin });
    const seats = new Map<string, string[]>();
    const unfilled: Pick<UnfilledImp, 'impId' | 'reason'>[] = [...answer.unfilled];
    const answered = new Set<string>();
    for (const filled of answer.filled) {
      const impId = askedImpId(filled.imp);
      const bid = writeBid(filled, given, addresses);
      if (bid !== undefined) {
        add(seats, auction, impId, bid);
        answered.add(impId);
      }
      // Only a bidder's own native ad: direct ones without the assets are not chosen.
      else unfilled.push({ impId: filled.imp.impId, reason: NoBidReason.Unsuitable });
    }
    const nonbids = new Map<string, string[]>();
    for (const { impId, reason } of unfilled)
      // Of a pod only that it got no ad at all.
      if (auction.seats.has(impId) && !answered.has(impId))
        add(nonbids, auction, impId, JSON.stringify({ impid: impId, statuscode: STATUS_CODES[reason] ?? 0, ext: { nbr: reason } }));
    const nbr = answer.reason ?? (seats.size === 0 ? NoBidReason.Unsuitable : undefined);
    return (
      `{"id":${JSON.stringify(auction.request.id)},"cur":${JSON.stringify(auction.currency)},"seatbid":${writeSeats(seats, 'bid')}` +
      `${nbr === undefined ? '' : `,"nbr":${nbr}`},"ext":{"seatnonbid":${writeSeats(nonbids, 'nonbid')}` +
      `${answer.trace ? `,"debug":{"trace":${writeTrace(answer.trace, disclosure)}}` : ''}}}`
    );
  };
};

/** Each ad of a pod answers the impression that asks for the pod. */
const askedImpId = ({ impId, terms }: FilledImp['imp']): string => terms?.pod?.impId ?? impId;

const add = (bySeat: Map<string, string[]>, { seats }: ReadAuction, impId: string, one: string): void => {
  const seat = seats.get(impId) ?? '';
  const of = bySeat.get(seat);
  if (of) of.push(one);
  else bySeat.set(seat, [one]);
};

const writeSeats = (bySeat: ReadonlyMap<string, readonly string[]>, name: string): string => {
  const seats: string[] = [];
  for (const [seat, of] of bySeat) seats.push(`{"seat":${JSON.stringify(seat)},"${name}":[${of.join()}]}`);
  return `[${seats.join()}]`;
};

type Winner = Pick<FilledImp['won'], 'candidate' | 'bid'>;

/** What of a bid belongs to its creative and its line item. */
const membersOf = ({ candidate: { creative, lineItem }, bid }: Winner, size: AdSize, adm: string): object => {
  const { content } = creative;
  return {
    adm,
    ...advertiserFields(creative, bid),
    cid: String(lineItem.campaignId),
    crid: String(creative.id),
    ...(lineItem.dealId !== null && { dealid: lineItem.dealId }),
    mtype: MARKUP_TYPE[content.format],
    ...(content.format !== 'native' && { w: size.width, h: size.height }),
    ...(isVideo(content) && content.video.durationMs !== null && { dur: Math.round(content.video.durationMs / 1000) }),
  };
};

/** The same as JSON text without braces, composed for this answer; undefined: a native ad lacks an asset. */
const composeMembers = (
  { imp, won }: FilledImp,
  size: AdSize,
  token: string | undefined,
  given: AuctionAnswer,
  addresses: Addresses,
): string | undefined => {
  const { base, signals } = given;
  const { candidate, bid, ad } = won;
  const { creative } = candidate;
  const click = token === undefined ? (creative.clickUrl ?? base) : `${base}/click?t=${token}`;
  const { content } = creative;
  let adm: string;
  if (content.format === 'native') {
    const assets = bid ? (JSON.parse(bid.adm) as Readonly<Record<string, unknown>>) : content.assets;
    const native = composeNative(assets, bid ? null : creative.clickUrl, imp.terms?.native, { addresses, click });
    if (!native) return undefined;
    adm = JSON.stringify(native);
  } else {
    const showing = { version: imp.terms?.vast ?? LATEST_VAST, base, token: token ?? '', tokenId: ad.tokenId };
    adm = fillMacros(markupOf(creative, bid, size, showing, addresses, click), { ...signals, click, cacheBuster: ad.tokenId });
  }
  return JSON.stringify(membersOf(won, size, adm)).slice(1, -1);
};

const expiryS = (ad: ServedAd): number => {
  const lifeMs = Math.min(endMsOf({ ad, kind: 'impression' }) - ad.servedAtMs, AUCTION_HOLD_MS);
  return Math.max(1, Math.floor((lifeMs - NOTICE_MS) / 1000));
};
