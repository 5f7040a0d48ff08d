import { BID_OUTCOMES, type BidOutcome } from '../bid-outcome.ts';
import { fitsImp, type ImpQuery } from '../../decision/ad-query.ts';
import type { NoticeKind } from '../bidder-observer.ts';
import type { ReadBid } from '../bidder-port.ts';
import type { BidFormat } from './bid-format.ts';
import { fillAuctionMacros, fillWithin, formatCpm, type AuctionMacros } from './fill-auction-macros.ts';
import { asList, asObject, asText } from './json-fields.ts';
import { readDomains } from './read-domains.ts';
import { readBidMarkup, type MarkupRoom } from './read-bid-markup.ts';

/** What one bidder was sent. */
export interface AskedBid {
  /** BidRequest.id */
  readonly auctionId: string;
  readonly currency: string;
  readonly format: BidFormat;
  /** The page is https, so the markup may load https resources only. */
  readonly secure: boolean;
  readonly imps: ReadonlyMap<string, Pick<ImpQuery, 'size' | 'otherSizes'> & { readonly floorMicros: number }>;
  /** Whether the bidder may have a notice sent to this URL. */
  readonly mayNotify: (url: string) => boolean;
}

export interface RefusedBid {
  /** null: the bid, or the whole response, belongs to no requested impression. */
  readonly impId: string | null;
  readonly outcome: BidOutcome;
  /** With the loss code filled in; null: no notice to send. */
  readonly lossNoticeUrl: string | null;
  readonly foreignNotices: readonly NoticeKind[];
}

export interface ReadAnswer {
  /** The best valid bid of each impression. */
  readonly best: ReadonlyMap<string, ReadBid>;
  readonly refused: readonly RefusedBid[];
}

/** A CPM of more than 1,000 currency units is taken as a mistake in units. */
const MAX_CPM_MICROS = 1_000_000_000;
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
  const offers = collectOffers(seats);
  if (offers === null) return wholly('malformed');
  if (offers.length === 0) return NOTHING;
  const currency = answer['cur'] ?? 'USD';
  if (currency !== asked.currency) return wholly('wrong_currency');
  const answerBidId = asText(answer['bidid'], MAX_ID_LENGTH);
  const room: MarkupRoom = { leftBytes: MAX_FILLED_BYTES };
  return bestOfEach(offers.slice(0, MAX_BIDS).map((offer) => readOffer(offer, answerBidId, asked, room)));
};

const NOTHING: ReadAnswer = { best: new Map(), refused: [] };

const wholly = (outcome: BidOutcome): ReadAnswer => ({
  best: new Map(),
  refused: [{ impId: null, outcome, lossNoticeUrl: null, foreignNotices: [] }],
});

interface Offer {
  readonly bid: Readonly<Record<string, unknown>>;
  readonly seat: string;
}

const collectOffers = (seats: readonly unknown[]): readonly Offer[] | null => {
  const offers: Offer[] = [];
  for (const entry of seats) {
    const seatBid = asObject(entry);
    const bids = asList(seatBid?.['bid']);
    if (seatBid === null || bids === null) return null;
    for (const value of bids) {
      const bid = asObject(value);
      if (bid === null) return null;
      offers.push({ bid, seat: asText(seatBid['seat'], MAX_ID_LENGTH) });
    }
  }
  return offers;
};

const readOffer = ({ bid, seat }: Offer, answerBidId: string, asked: AskedBid, room: MarkupRoom): ReadBid | RefusedBid => {
  const bidId = asText(bid['id'], MAX_ID_LENGTH);
  const impId = readImpId(bid['impid'], asked);
  const macros: AuctionMacros = {
    ID: asked.auctionId,
    BID_ID: answerBidId || bidId,
    IMP_ID: impId ?? '',
    SEAT_ID: seat,
    AD_ID: asText(bid['adid'], MAX_ID_LENGTH),
    CURRENCY: asked.currency,
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
  const refuse = (outcome: BidOutcome): RefusedBid => ({
    impId,
    outcome,
    lossNoticeUrl: lossUrl && fillLossReason(lossUrl, lossReasonOf(outcome)),
    foreignNotices,
  });

  const imp = impId === null ? undefined : asked.imps.get(impId);
  if (impId === null || imp === undefined) return refuse('unknown_imp');
  const price = readPrice(bid['price'], imp.floorMicros);
  if (typeof price === 'string') return refuse(price);
  const filled: AuctionMacros = { ...macros, PRICE: formatCpm(price), LOSS: '0' };
  const size = readSize(bid);
  if (asked.format === 'html' && (size === null || !fitsImp(size, imp))) return refuse('wrong_size');
  const markup = readBidMarkup(bid, filled, asked, room);
  if ('refused' in markup) return refuse(markup.refused);
  return {
    impId,
    bidId,
    cpmMicros: price,
    adm: markup.adm,
    adomain: readDomains(bid['adomain']),
    width: size?.width ?? null,
    height: size?.height ?? null,
    winNoticeUrl: readNotice('win', bid['nurl'], filled),
    billingNoticeUrl: readNotice('billing', bid['burl'], filled),
    lossNoticeUrl: lossUrl,
    foreignNotices,
  };
};

/** An absent impid means the requested impression, if there is only one. */
const readImpId = (value: unknown, { imps }: AskedBid): string | null => {
  if (value === undefined || value === null) return imps.size === 1 ? ([...imps.keys()][0] ?? null) : null;
  return typeof value === 'string' && imps.has(value) ? value : null;
};

const readPrice = (value: unknown, floorMicros: number): number | BidOutcome => {
  if (value === undefined || value === null) return 'missing_price';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'bad_price';
  const micros = Math.round(value * 1_000_000);
  if (micros < 1 || micros > MAX_CPM_MICROS) return 'bad_price';
  return micros < floorMicros ? 'below_floor' : micros;
};

/**
 * Absent sides and 0, which some bidders send for "as requested", become null; the whole is null
 * when a side is invalid.
 */
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
  const refused: RefusedBid[] = [];
  const outbid = ({ impId, lossNoticeUrl, foreignNotices }: ReadBid): RefusedBid => ({
    impId,
    outcome: 'outbid_by_itself',
    lossNoticeUrl: lossNoticeUrl && fillLossReason(lossNoticeUrl, lossReasonOf('outbid_by_itself')),
    foreignNotices,
  });
  for (const bid of read) {
    if ('outcome' in bid) {
      refused.push(bid);
      continue;
    }
    const rival = best.get(bid.impId);
    if (rival === undefined || bid.cpmMicros > rival.cpmMicros) best.set(bid.impId, bid);
    if (rival !== undefined) refused.push(outbid(bid.cpmMicros > rival.cpmMicros ? rival : bid));
  }
  return { best, refused };
};
