import { LRUCache } from 'lru-cache';
import { NO_SIGNALS } from '../../context/consent/privacy-signals.ts';
import type { Addresses } from '../../creative/absolute-address.ts';
import { dependsOnVisitor, fillMacros } from '../../creative/fill-macros.ts';
import { fillMarks, marksOf, splitAtMarks, type MarkedText } from '../../creative/marked-text.ts';
import type { VastVersion } from '../../catalog/model/video-rules.ts';
import type { AdSize } from '../../decision/ad-query.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { ServedAd } from '../../ledger/hit.ts';
import { markupOf } from './markup-of.ts';

/** An ad of a direct line item, in the markup of its creative. */
export interface PreparableBid {
  readonly candidate: RankedCandidate;
  readonly size: AdSize;
  readonly ad: ServedAd;
  /** The signed token of `ad`. */
  readonly token: string;
  /** Of a video. */
  readonly version: VastVersion;
}

/**
 * The members of a bid that belong to its creative and its line item, as JSON text without braces.
 * undefined: the markup has macros that depend on the visitor.
 *
 * @param addresses alike whenever that of the service is
 */
export type PreparedBids = (bid: PreparableBid, addresses: Addresses) => string | undefined;

/** These members as an object, with this markup. */
export type MembersOf = (candidate: RankedCandidate, size: AdSize, adm: string) => object;

/** Limit, in characters, of the kept texts; the least recently shown are evicted first. */
const MAX_KEPT_CHARACTERS = 16_000_000;

interface Kept extends AdSize {
  readonly creativeEdition: number;
  readonly lineItemEdition: number;
  /** The address of the service. */
  readonly base: string;
  readonly version: VastVersion;
  /** undefined: the markup has macros that depend on the visitor. */
  readonly text: MarkedText | undefined;
}

/**
 * Composes the markup of a creative, and writes it as JSON, once for a size, with marks for the token
 * and its id.
 *
 * @param mark random letters and digits, which no creative contains
 */
export const createPreparedBids = (membersOf: MembersOf, mark: string): PreparedBids => {
  const marks = marksOf(mark);
  const kept = new LRUCache<number, Kept>({ maxSize: MAX_KEPT_CHARACTERS, sizeCalculation: ({ text }) => (text?.length ?? 0) + 1 });

  const prepare = ({ candidate, size, version }: PreparableBid, addresses: Addresses): Kept => {
    const { creative, lineItem } = candidate;
    const base = addresses.service;
    const of = { ...size, creativeEdition: creative.edition, lineItemEdition: lineItem.edition, base, version };
    const click = `${base}/click?t=${marks.token}`;
    const markup = markupOf(creative, undefined, size, { version, base, ...marks }, addresses, click);
    if (dependsOnVisitor(markup)) return { ...of, text: undefined };
    const adm = fillMacros(markup, { ...NO_SIGNALS, click, cacheBuster: marks.tokenId });
    return { ...of, text: splitAtMarks(JSON.stringify(membersOf(candidate, size, adm)).slice(1, -1), mark) };
  };

  return (bid, addresses) => {
    const { candidate, size, ad, token, version } = bid;
    const { creative, lineItem } = candidate;
    let one = kept.get(creative.id);
    if (
      one?.creativeEdition !== creative.edition ||
      one.lineItemEdition !== lineItem.edition ||
      one.base !== addresses.service ||
      one.version !== version ||
      one.width !== size.width ||
      one.height !== size.height
    ) {
      one = prepare(bid, addresses);
      kept.set(creative.id, one);
    }
    return one.text && fillMarks(one.text, token, ad.tokenId);
  };
};
