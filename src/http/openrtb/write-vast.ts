import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { adInPod } from '../../bidders/openrtb/vast-markup.ts';
import { vastOfBid } from '../../bidders/openrtb/vast-of-bid.ts';
import { isVideo, type Creative } from '../../catalog/model/entities.ts';
import { VAST_VERSIONS, type VastVersion } from '../../catalog/model/video-rules.ts';
import { NO_SIGNALS, type PrivacySignals } from '../../context/consent/privacy-signals.ts';
import { addressesOf, type Addresses, type AddressSettings } from '../../creative/absolute-address.ts';
import { dependsOnVisitor, fillMacros } from '../../creative/fill-macros.ts';
import { fillMarks, marksOf, splitAtMarks, type MarkedText } from '../../creative/marked-text.ts';
import { composeAd, composeNoAd, composePod } from '../../creative/vast/compose-vast.ts';
import type { ServedAd } from '../../ledger/hit.ts';
import type { FilledImp } from '../../serving/serve-ad.ts';

export interface VastWriterOptions extends Pick<AddressSettings, 'assetsUrl' | 'creativeOrigin'> {
  readonly signToken: (ad: ServedAd) => string;
}

export interface VastAnswer {
  /** In the order in which they play. */
  readonly filled: readonly FilledImp[];
  readonly version: VastVersion;
  /** The address of this service. */
  readonly base: string;
  readonly signals: PrivacySignals;
}

/** The document for a player: with an ad, the ads of a break, or none. */
export type WriteVast = (answer: VastAnswer) => string;

/** Limit, in characters, of the kept texts; the least recently shown are evicted first. */
const MAX_KEPT_CHARACTERS = 16_000_000;

/** The element of one ad. */
interface KeptAd {
  /** Of the creative. */
  readonly edition: number;
  readonly base: string;
  readonly text: MarkedText;
  /** Whether macros are left in it, whose values are the visitor's. */
  readonly hasMacros: boolean;
}

/**
 * Composes the element of an ad once for a version and a place in a break, with marks for the token and its id: to compose it
 * took as long as to decide which ad it is.
 */
export const createVastWriter = ({ signToken, assetsUrl, creativeOrigin }: VastWriterOptions): WriteVast => {
  const mark = randomBytes(12).toString('hex');
  const marks = marksOf(mark);
  const kept = new LRUCache<number, KeptAd>({ maxSize: MAX_KEPT_CHARACTERS, sizeCalculation: ({ text }) => text.length + 1 });

  const addressesAt = (publicUrl: string): Addresses => addressesOf({ publicUrl, assetsUrl, creativeOrigin });

  const prepare = (creative: Creative, { version, base }: VastAnswer, sequence: number): KeptAd | undefined => {
    const { content, edition } = creative;
    // A tag of players takes no other formats.
    if (!isVideo(content)) return undefined;
    const text = composeAd(creative, content, { version, base, ...marks }, addressesAt(base), sequence || undefined);
    const hasMacros = dependsOnVisitor(text);
    const filled = hasMacros ? text : fillMacros(text, { ...NO_SIGNALS, click: clickOf(base, marks.token), cacheBuster: marks.tokenId });
    return { edition, base, text: splitAtMarks(filled, mark), hasMacros };
  };

  const keptOf = (creative: Creative, answer: VastAnswer, sequence: number): KeptAd | undefined => {
    const key = keyOf(creative.id, answer.version, sequence);
    let one = kept.get(key);
    if (one?.edition === creative.edition && one.base === answer.base) return one;
    one = prepare(creative, answer, sequence);
    if (one) kept.set(key, one);
    return one;
  };

  /** @param sequence its place in a break, from 1; 0: it is alone */
  const writeAd = ({ won: { candidate, bid, ad } }: FilledImp, answer: VastAnswer, sequence: number): string => {
    const { base, version, signals } = answer;
    const { creative } = candidate;
    const token = signToken(ad);
    const fill = (text: string): string => fillMacros(text, { ...signals, click: clickOf(base, token), cacheBuster: ad.tokenId });
    if (bid) {
      const { id: creativeId, content } = creative;
      if (!isVideo(content)) return '';
      const showing = { version, base, token, tokenId: ad.tokenId };
      const vast = vastOfBid(bid, { creativeId, format: content.format }, showing, addressesAt(base));
      return fill(sequence === 0 ? vast : adInPod(vast, sequence));
    }
    const one = keptOf(creative, answer, sequence);
    if (!one) return '';
    const text = fillMarks(one.text, token, ad.tokenId);
    return one.hasMacros ? fill(text) : text;
  };

  return function writeVast(answer) {
    const { filled, version, base } = answer;
    const [first] = filled;
    if (!first) return composeNoAd(version, `${base}/vast/error?code=[ERRORCODE]`);
    // The document of a bid is its bidder's.
    if (filled.length === 1 && first.won.bid) return writeAd(first, answer, 0);
    const ads = filled.map((one, i) => writeAd(one, answer, filled.length === 1 ? 0 : i + 1));
    return composePod(version, ads);
  };
};

const clickOf = (base: string, token: string): string => `${base}/click?t=${token}`;

/** More than the ads of a break. */
const SEQUENCES = 64;

/** Ids are below 2^31. */
const keyOf = (id: number, version: VastVersion, sequence: number): number =>
  (VAST_VERSIONS.indexOf(version) * SEQUENCES + sequence) * 2 ** 31 + id;
