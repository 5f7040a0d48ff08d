import type { BlockList } from '../../catalog/model/block-list.ts';
import type { Bidder } from '../../catalog/model/entities.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import { BID_OUTCOMES, type BidOutcome } from '../bid-outcome.ts';
import type { Pod } from '../../decision/pod.ts';
import { fitsImp, type ImpQuery } from '../../decision/ad-query.ts';
import type { NoticeKind } from '../bidder-observer.ts';
import type { ReadBid } from '../bidder-port.ts';
import { OPEN_MARKET } from '../calls/group-invitations.ts';
import type { RateOf } from '../currency-rates.ts';
import type { BidFormat } from './bid-format.ts';
import { collectOffers, type Offer } from './collect-offers.ts';
import { judgeDsa, readDsaAnswer, type DsaAnswer, type DsaRequest } from './dsa.ts';
import { fillAuctionMacros, fillWithin, formatCpm, type AuctionMacros } from './fill-auction-macros.ts';
import { asList, asObject, asText } from './json-fields.ts';
import { blockedBy, readAttributes, readSupply } from './judge-supply.ts';
import { readDomains } from './read-domains.ts';
import { moneyOf, readPrice, type AskedCurrencies, type Money } from './read-price.ts';
import { readBidMarkup, type MarkupRoom } from './read-bid-markup.ts';

/** What one bidder was sent. */
export interface AskedBid {
  /** BidRequest.id, unique per call. */
  readonly auctionId: string;
  readonly bidder: Pick<Bidder, 'bidAdjustment' | 'seats'>;
  readonly currencies: AskedCurrencies;
  /** Of the publisher, the auction and the bidder. */
  readonly blocked: readonly BlockList[];
  readonly rateOf: RateOf;
  readonly dsa: DsaRequest | undefined;
  readonly format: BidFormat;
  /** The page is https, so the markup may load https resources only. */
  readonly secure: boolean;
  readonly imps: ReadonlyMap<string, AskedImp>;
  /** Whether the bidder may have a notice sent to this URL. */
  readonly mayNotify: (url: string) => boolean;
}

export interface AskedImp extends Pick<ImpQuery, 'size' | 'otherSizes'> {
  /** The lowest bids by deal (CallOpportunity), micros of the currency that was asked for, per thousand impressions. */
  readonly floors: ReadonlyMap<string, number>;
  /** Creative attributes that this impression blocks, besides those of the block lists. */
  readonly battr?: readonly number[] | undefined;
  /** What its player takes, by the placement and by the auction; undefined: it is none, or takes anything. */
  readonly players?: readonly (VideoRules | null | undefined)[] | undefined;
  /** The break that it is a part of; undefined: it is alone. */
  readonly pod?: Pod | undefined;
}

export interface RefusedBid {
  /** null: the bid, or the whole response, belongs to no requested impression. */
  readonly impId: string | null;
  /** undefined: none that can be told. */
  readonly deal: string | undefined;
  readonly outcome: BidOutcome;
  /** With the loss code filled in; null: no notice to send. */
  readonly lossNoticeUrl: string | null;
  readonly foreignNotices: readonly NoticeKind[];
}

export interface ReadAnswer {
  /** The best valid bid of each impression and deal. */
  readonly best: readonly ReadBid[];
  readonly refused: readonly RefusedBid[];
}

/** Further bids of one response are ignored. */
const MAX_BIDS = 100;
const MAX_ID_LENGTH = 128;
/** Of all markup of one response with its macros filled: as much as a response may have. */
const MAX_FILLED_BYTES = 256 * 1024;
const MAX_NOTICE_LENGTH = 2048;

/**
 * Reads an OpenRTB 2.6 BidResponse from parsed JSON (null: HTTP 204). Pure; a no-bid is a response
 * without bids.
 */
export const readBidResponse = (json: unknown, asked: AskedBid): ReadAnswer => {
  if (json === null) return NOTHING;
  const answer = asObject(json);
  const seats = asList(answer?.['seatbid']);
  if (answer === null || seats === null) return wholly('malformed');
  const offers = collectOffers(seats, MAX_ID_LENGTH);
  if (offers === null) return wholly('malformed');
  if (offers.length === 0) return NOTHING;
  const currency = answer['cur'] ?? 'USD';
  const money = moneyOf(currency, asked.currencies, asked.rateOf);
  if (money === undefined) return wholly('wrong_currency');
  const ofAnswer: OfAnswer = { bidId: asText(answer['bidid'], MAX_ID_LENGTH), money, room: { leftBytes: MAX_FILLED_BYTES } };
  return bestOfEach(offers.slice(0, MAX_BIDS).map((offer) => readOffer(offer, ofAnswer, asked)));
};

const NOTHING: ReadAnswer = { best: [], refused: [] };

const wholly = (outcome: BidOutcome): ReadAnswer => ({
  best: [],
  refused: [{ impId: null, deal: undefined, outcome, lossNoticeUrl: null, foreignNotices: [] }],
});

/** What all bids of one answer share. */
interface OfAnswer {
  /** The `bidid` of the answer. */
  readonly bidId: string;
  readonly money: Money;
  readonly room: MarkupRoom;
}

const readOffer = ({ bid, seat }: Offer, { bidId: answerBidId, money, room }: OfAnswer, asked: AskedBid): ReadBid | RefusedBid => {
  const { bidder } = asked;
  const bidId = asText(bid['id'], MAX_ID_LENGTH);
  const impId = readImpId(bid['impid'], asked);
  const macros: AuctionMacros = {
    ID: asked.auctionId,
    BID_ID: answerBidId || bidId,
    IMP_ID: impId ?? '',
    SEAT_ID: seat,
    AD_ID: asText(bid['adid'], MAX_ID_LENGTH),
    CURRENCY: money.currency,
    MBR: '',
    MIN_TO_WIN: '',
    MULTIPLIER: '1',
  };
  const foreignNotices: NoticeKind[] = [];
  const readNotice = (kind: NoticeKind, value: unknown, filledIn: AuctionMacros): string | null => {
    const url = readNoticeUrl(value, filledIn);
    if (url === null || asked.mayNotify(url)) return url;
    foreignNotices.push(kind);
    return null;
  };
  // A loss notice carries no price: losers must not learn what the winner paid.
  const lossUrl = readNotice('loss', bid['lurl'], { ...macros, PRICE: '' });
  let deal: string | undefined = undefined;
  const refuse = (outcome: BidOutcome): RefusedBid => ({
    impId,
    deal,
    outcome,
    lossNoticeUrl: lossUrl && fillLossReason(lossUrl, lossReasonOf(outcome)),
    foreignNotices,
  });

  const imp = impId === null ? undefined : asked.imps.get(impId);
  if (impId === null || imp === undefined) return refuse('unknown_imp');
  if (bidder.seats.length > 0 && !bidder.seats.includes(seat)) return refuse('blocked_seat');
  deal = readDeal(bid['dealid'], imp);
  const floorMicros = deal === undefined ? undefined : imp.floors.get(deal);
  if (deal === undefined || floorMicros === undefined) return refuse('unknown_deal');
  const price = readPrice(bid['price'], money, bidder.bidAdjustment);
  if (typeof price === 'string') return refuse(price);
  if (price.askedMicros < floorMicros) return refuse(deal === OPEN_MARKET ? 'below_floor' : 'below_deal_floor');
  const supply = readSupply(bid, readDomains(bid['adomain']));
  const attributes = readAttributes(bid['attr']);
  const blocked = blockedBy(asked.blocked, supply, attributes);
  if (blocked !== undefined) return refuse(blocked);
  if (attributes.some((one) => imp.battr?.includes(one))) return refuse('blocked_attribute');
  const dsa: DsaAnswer | undefined = readDsaAnswer(asObject(bid['ext'])?.['dsa']);
  const undisclosed = judgeDsa(asked.dsa, dsa);
  if (undisclosed !== undefined) return refuse(undisclosed);
  const filled: AuctionMacros = { ...macros, PRICE: formatCpm(price.bidMicros), LOSS: '0' };
  const size = readSize(bid);
  if (asked.format === 'html' && (size === null || !fitsImp(size, imp))) return refuse('wrong_size');
  const markup = readBidMarkup(bid, filled, { ...asked, players: imp.players ?? [] }, room);
  if ('refused' in markup) return refuse(markup.refused);
  const durationMs = markup.durationMs ?? secondsOf(bid['dur']);
  if (price.cpmMicros < floorPerSecond(imp) * ((durationMs ?? 0) / 1000)) return refuse('below_floor');
  return {
    impId,
    bidId,
    deal,
    cpmMicros: price.cpmMicros,
    adm: markup.adm,
    tag: markup.tag?.url ?? null,
    durationMs,
    ...supply,
    dsa,
    width: size?.width ?? null,
    height: size?.height ?? null,
    winNoticeUrl: markup.tag?.isWinNotice ? null : readNotice('win', bid['nurl'], filled),
    billingNoticeUrl: readNotice('billing', bid['burl'], filled),
    lossNoticeUrl: lossUrl,
    foreignNotices,
  };
};

/** Of a tag of another server only the bid says how long it plays. */
const secondsOf = (dur: unknown): number | null => (typeof dur === 'number' && dur > 0 ? dur * 1000 : null);

/** Micros of the publisher's currency. */
const floorPerSecond = ({ players = [] }: AskedImp): number =>
  Math.max(0, ...players.map((rules) => (rules?.min_cpm_per_second ?? 0) * 1e6));

/** An absent impid means the requested impression, if there is only one. */
const readImpId = (value: unknown, { imps }: AskedBid): string | null => {
  if (value === undefined || value === null) return imps.size === 1 ? ([...imps.keys()][0] ?? null) : null;
  return typeof value === 'string' && imps.has(value) ? value : null;
};

/**
 * A deal that was offered for the impression. Another id counts as the open market, where the
 * impression is open: servers that ask further exchanges pass on deals of those.
 */
const readDeal = (value: unknown, { floors }: AskedImp): string | undefined => {
  if (value === undefined || value === null) return OPEN_MARKET;
  if (typeof value !== 'string') return undefined;
  return floors.has(value) ? value : OPEN_MARKET;
};

/** Absent sides and 0, which some bidders send for "as requested", become null; the whole is null when a side is invalid. */
const readSize = ({
  w,
  h,
}: Readonly<Record<string, unknown>>): { readonly width: number | null; readonly height: number | null } | null => {
  const isSide = (side: unknown): boolean =>
    side === undefined || side === null || (typeof side === 'number' && Number.isInteger(side) && side >= 0);
  return isSide(w) && isSide(h) ? { width: (w as number) || null, height: (h as number) || null } : null;
};

const readNoticeUrl = (value: unknown, macros: AuctionMacros): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NOTICE_LENGTH
    ? (fillWithin(value, macros, MAX_NOTICE_LENGTH) ?? null)
    : null;

/** Fills the last macro of a loss URL. */
export const fillLossReason = (lossNoticeUrl: string, lossReason: number): string =>
  fillAuctionMacros(lossNoticeUrl, { LOSS: String(lossReason) });

const lossReasonOf = (outcome: BidOutcome): number => BID_OUTCOMES[outcome].lossReason ?? 1;

const bestOfEach = (read: readonly (ReadBid | RefusedBid)[]): ReadAnswer => {
  const best = new Map<string, ReadBid>();
  const keyOf = ({ impId, deal }: ReadBid): string => JSON.stringify([impId, deal]);
  const refused: RefusedBid[] = [];
  const outbid = ({ impId, deal, lossNoticeUrl, foreignNotices }: ReadBid): RefusedBid => ({
    impId,
    deal,
    outcome: 'outbid_by_itself',
    lossNoticeUrl: lossNoticeUrl && fillLossReason(lossNoticeUrl, lossReasonOf('outbid_by_itself')),
    foreignNotices,
  });
  for (const bid of read) {
    if ('outcome' in bid) {
      refused.push(bid);
      continue;
    }
    const rival = best.get(keyOf(bid));
    if (rival === undefined || bid.cpmMicros > rival.cpmMicros) best.set(keyOf(bid), bid);
    if (rival !== undefined) refused.push(outbid(bid.cpmMicros > rival.cpmMicros ? rival : bid));
  }
  return { best: [...best.values()], refused };
};
