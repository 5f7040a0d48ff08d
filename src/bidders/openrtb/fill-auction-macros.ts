import { quoteFree } from '../../base/quote-free.ts';

/**
 * OpenRTB 2.6, section 4.4. A macro without a value stays in the text; an empty value removes it,
 * as the standard requires. PRICE is a decimal CPM, see `formatCpm`.
 */
export type AuctionMacros = Partial<Readonly<Record<MacroName, string>>>;
type MacroName = 'ID' | 'BID_ID' | 'IMP_ID' | 'SEAT_ID' | 'AD_ID' | 'PRICE' | 'CURRENCY' | 'MBR' | 'LOSS' | 'MIN_TO_WIN' | 'MULTIPLIER';

const MACRO = /\$\{AUCTION_([A-Z_]{2,10})(:B64)?\}/g;

/**
 * Fills `${AUCTION_…}` and `${AUCTION_…:B64}`. Values are percent-encoded, because macros are used
 * in URLs and an id from a bidder or a page must not end an attribute, a JSON string or a URL
 * parameter.
 */
export const fillAuctionMacros = (text: string, values: AuctionMacros): string => fillWithin(text, values, Infinity) ?? text;

/**
 * The same; undefined when the filled text has more than `maxLength` characters. A seat of 128
 * characters fills a macro of 18 with up to 1,152.
 */
export const fillWithin = (text: string, values: AuctionMacros, maxLength: number): string | undefined => {
  const written = new Map<string, string>();
  let filled = '';
  let rest = 0;
  for (const { 0: macro, 1: name = '', 2: base64, index } of text.includes('${AUCTION_') ? text.matchAll(MACRO) : []) {
    let value = written.get(macro);
    if (value === undefined) written.set(macro, (value = writeMacro(macro, name, base64 !== undefined, values)));
    filled += text.slice(rest, index) + value;
    rest = index + macro.length;
    if (filled.length > maxLength) return undefined;
  }
  filled += text.slice(rest);
  return filled.length > maxLength ? undefined : filled;
};

const writeMacro = (macro: string, name: string, isBase64: boolean, values: AuctionMacros): string => {
  const value = Object.hasOwn(values, name) ? values[name as keyof AuctionMacros] : undefined;
  if (value === undefined) return macro;
  return quoteFree(encodeURIComponent(isBase64 ? Buffer.from(value).toString('base64') : wellFormed(value)));
};

/** encodeURIComponent throws on a lone surrogate, which JSON can carry. */
const wellFormed = (value: string): string => Buffer.from(value).toString();

/** Micros per thousand as decimal currency units: at most six decimals, never an exponent. */
export const formatCpm = (cpmMicros: number): string => {
  const [whole, decimals] = (cpmMicros / 1_000_000).toFixed(6).split('.') as [string, string];
  const kept = decimals.replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
};
