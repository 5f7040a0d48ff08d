import { LRUCache } from 'lru-cache';
import { NO_SIGNALS } from '../../context/consent/privacy-signals.ts';
import type { Addresses } from '../../creative/absolute-address.ts';
import { isVideo } from '../../catalog/model/entities.ts';
import { composeMarkup } from '../../creative/compose-markup.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { composeVideo } from '../../creative/vast/compose-vast.ts';
import type { VastVersion } from '../../catalog/model/video-rules.ts';
import type { AdSize } from '../../decision/ad-query.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { ServedAd } from '../../ledger/hit.ts';

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

/** Macros whose values are the visitor's. */
const OF_VISITOR = /\$\{(GDPR|GDPR_CONSENT|GPP|GPP_SID|US_PRIVACY)\}/;

/** Text that follows the token or its id. */
interface Piece {
  readonly isAfterToken: boolean;
  readonly text: string;
}

interface Kept extends AdSize {
  readonly creativeEdition: number;
  readonly lineItemEdition: number;
  /** The address of the service. */
  readonly base: string;
  readonly version: VastVersion;
  readonly first: string;
  /** undefined: the markup has macros that depend on the visitor. */
  readonly pieces: readonly Piece[] | undefined;
}

/**
 * Composes the markup of a creative, and writes it as JSON, once for a size, with marks for the token
 * and its id. Marks, tokens and ids consist of characters that HTML, URLs and JSON spell as they are.
 *
 * @param mark random letters and digits, which no creative contains
 */
export const createPreparedBids = (membersOf: MembersOf, mark: string): PreparedBids => {
  const [tokenMark, idMark] = [`${mark}T`, `${mark}I`];
  const kept = new LRUCache<number, Kept>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: ({ first, pieces = [] }) => pieces.reduce((sum, { text }) => sum + text.length, first.length + 1),
  });

  const prepare = ({ candidate, size, version }: PreparableBid, addresses: Addresses): Kept => {
    const { creative, lineItem } = candidate;
    const base = addresses.service;
    const of = { ...size, creativeEdition: creative.edition, lineItemEdition: lineItem.edition, base, version };
    const click = `${base}/click?t=${tokenMark}`;
    const { content, clickUrl } = creative;
    const markup = isVideo(content)
      ? composeVideo(creative, content, { version, base, token: tokenMark, tokenId: idMark }, addresses)
      : composeMarkup({ content, clickUrl }, size, addresses, click);
    if (OF_VISITOR.test(markup)) return { ...of, first: '', pieces: undefined };
    const adm = fillMacros(markup, { ...NO_SIGNALS, click, cacheBuster: idMark });
    const [first = '', ...marked] = JSON.stringify(membersOf(candidate, size, adm))
      .slice(1, -1)
      .split(mark);
    return { ...of, first, pieces: marked.map((text) => ({ isAfterToken: text.startsWith('T'), text: text.slice(1) })) };
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
    if (!one.pieces) return undefined;
    let text = one.first;
    for (const piece of one.pieces) text += (piece.isAfterToken ? token : ad.tokenId) + piece.text;
    return text;
  };
};
