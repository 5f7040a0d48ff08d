import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Bid } from '../../bidders/bidder-port.ts';
import type { Creative } from '../../catalog/model/entities.ts';
import { NO_ADDRESSES, type Addresses } from '../../creative/absolute-address.ts';
import { fillMarks, marksOf, splitAtMarks, type MarkedText, type Marks } from '../../creative/marked-text.ts';
import { LATEST_VAST } from '../../catalog/model/video-rules.ts';
import { shownSize, type AdSize } from '../../decision/ad-query.ts';
import type { ServedAd } from '../../ledger/hit.ts';
import type { AdAnswer, FilledImp } from '../../serving/serve-ad.ts';
import { advertiserFields } from './advertiser-fields.ts';
import { markupOf } from './markup-of.ts';
import { writeTrace, type Disclosure } from './write-trace.ts';

export interface AnswerWriterOptions {
  /** Event types that `evturl` accepts, listed in `ext.events`. */
  readonly allowedEvents: readonly string[];
  /** undefined: a dry run, whose bids have no id and no tracking URLs. */
  readonly tracking:
    | {
        readonly signToken: (ad: ServedAd) => string;
        /** '': tracking URLs are relative. */
        readonly publicUrl: string;
        /** Of the paths in creatives. */
        readonly addresses: Addresses;
        /** The origin on which creatives that need storage may run; '': there is none. */
        readonly creativeOrigin: string;
      }
    | undefined;
}

/**
 * The OpenRTB answer of an ad request as JSON text; `id` is the request's.
 *
 * @param disclosure how much its trace tells; default: all
 */
export type WriteAnswer = (id: string, answer: AdAnswer, disclosure?: Disclosure) => string;

/**
 * Limit, in characters, of the cached creative text; the least recently shown are evicted first.
 */
const MAX_KEPT_CHARACTERS = 16_000_000;

interface WrittenCreative extends AdSize {
  /** Of the creative. */
  readonly edition: number;
  /** In a video players report with the token and its id. */
  readonly text: MarkedText;
}

/**
 * Writes text instead of objects: the members that belong to a creative are the same each time it
 * is shown at a size, so their text is cached. That takes 1.1 µs per bid; an object and
 * JSON.stringify took 5.5.
 */
export const createAnswerWriter = ({ allowedEvents, tracking }: AnswerWriterOptions): WriteAnswer => {
  const origin = tracking?.creativeOrigin ? `,"creative_origin":${JSON.stringify(tracking.creativeOrigin)}` : '';
  const ext = `,"ext":{"events":${JSON.stringify(allowedEvents)}${origin}`;
  const addresses = tracking?.addresses ?? NO_ADDRESSES;
  const mark = randomBytes(12).toString('hex');
  const options: WritingOptions = { addresses, base: tracking?.publicUrl ?? '', marks: marksOf(mark) };
  const written = new LRUCache<number, WrittenCreative>({ maxSize: MAX_KEPT_CHARACTERS, sizeCalculation: ({ text }) => text.length });

  const writeOnce = (creative: Creative, size: AdSize): WrittenCreative => {
    const { id, edition } = creative;
    const key = keyOf(id, size);
    let kept = written.get(key);
    if (kept?.edition !== edition || kept.width !== size.width || kept.height !== size.height) {
      kept = { ...size, edition, text: splitAtMarks(writeCreative(creative, size, options), mark) };
      written.set(key, kept);
    }
    return kept;
  };
  const writeTracking = tracking ? createTrackingWriter(tracking) : () => ({ id: '', token: '', urls: '' });

  const writeBid = ({ imp, won: { candidate, bid, ad } }: FilledImp): string => {
    const { creative, lineItem, ecpmMicros } = candidate;
    const { id, token, urls } = writeTracking(ad);
    const text = bid
      ? splitAtMarks(writeCreative(creative, shownSize(bid, imp), options, bid), mark)
      : writeOnce(creative, shownSize(creative, imp)).text;
    return (
      `{${id}"impid":${JSON.stringify(imp.impId)},"cid":"${lineItem.campaignId}","price":${ecpmMicros / 1e6},${urls}` +
      fillMarks(text, token, ad.tokenId)
    );
  };

  return function writeAnswer(id, { currency, filled, unfilled, reason, mayRemember, trace }, disclosure = 'full') {
    const nonbid = unfilled.map(({ impId, reason: nbr }) => ({ impid: impId, nbr }));
    return (
      `{"id":${JSON.stringify(id)},"cur":"${currency}","seatbid":${filled.length > 0 ? `[{"bid":[${filled.map(writeBid).join(',')}]}]` : '[]'}` +
      (reason === undefined ? '' : `,"nbr":${reason}`) +
      `${ext}${mayRemember ? '' : ',"remember":false'}${nonbid.length > 0 ? `,"nonbid":${JSON.stringify(nonbid)}` : ''}}` +
      (trace ? `,"debug":{"trace":${writeTrace(trace, disclosure)}}}` : '}')
    );
  };
};

/** Ids are below 2^31. Two sizes may share a key, so the sizes are compared, too. */
const keyOf = (id: number, { width, height }: AdSize): number => ((width * 4_093 + height) % 2 ** 21) * 2 ** 31 + id;

/** All tracking URLs of a bid contain the same signed token. */
const createTrackingWriter = ({ signToken, publicUrl }: NonNullable<AnswerWriterOptions['tracking']>) => {
  const host = JSON.stringify(publicUrl).slice(1, -1);
  return (ad: ServedAd): { readonly id: string; readonly token: string; readonly urls: string } => {
    const token = signToken(ad);
    return {
      id: `"id":"${ad.tokenId}",`,
      token,
      urls:
        `"impurl":"${host}/impression?t=${token}","clkurl":"${host}/click?t=${token}",` +
        `"evturl":"${host}/event?t=${token}","repturl":"${host}/report?t=${token}",`,
    };
  };
};

/**
 * The members of a bid that belong to its creative, and the closing brace. A bidder's markup and
 * domains and categories replace the creative's own. \`size\`: the size at which it is shown.
 */
const writeCreative = (creative: Creative, size: AdSize, { addresses, base, marks }: WritingOptions, bid?: Bid): string =>
  JSON.stringify({
    crid: String(creative.id),
    adm: markupOf(creative, bid, size, { version: LATEST_VAST, base, ...marks }, addresses),
    ...advertiserFields(creative, bid),
    w: size.width,
    h: size.height,
    ...(creative.clickUrl === null ? {} : { ext: { click_url: creative.clickUrl } }),
  }).slice(1);

interface WritingOptions {
  readonly addresses: Addresses;
  /** The address of this service. */
  readonly base: string;
  readonly marks: Marks;
}
