import { quoteFree } from '../../base/quote-free.ts';

/**
 * OpenRTB 2.6, section 4.4. A macro without a value stays in the text; an empty value removes it,
 * as the standard requires.
 */
export interface AuctionMacros {
  readonly ID?: string;
  readonly BID_ID?: string;
  readonly IMP_ID?: string;
  readonly SEAT_ID?: string;
  readonly AD_ID?: string;
  /** Decimal CPM, see `formatCpm`. */
  readonly PRICE?: string;
  readonly CURRENCY?: string;
  readonly MBR?: string;
  readonly LOSS?: string;
  readonly MIN_TO_WIN?: string;
  readonly MULTIPLIER?: string;
}

const MACRO = /\$\{AUCTION_([A-Z_]{2,10})(:B64)?\}/g;

/**
 * Fills `${AUCTION_…}` and `${AUCTION_…:B64}`. Values are percent-encoded, because macros are used
 * in URLs and an id from a bidder or a page must not end an attribute, a JSON string or a URL
 * parameter.
 */
export const fillAuctionMacros = (text: string, values: AuctionMacros): string =>
  text.includes('${AUCTION_')
    ? text.replace(MACRO, (whole, name: string, base64: string | undefined) => {
        const value = Object.hasOwn(values, name) ? values[name as keyof AuctionMacros] : undefined;
        if (value === undefined) return whole;
        return quoteFree(encodeURIComponent(base64 ? Buffer.from(value).toString('base64') : wellFormed(value)));
      })
    : text;

/** encodeURIComponent throws on a lone surrogate, which JSON can carry. */
const wellFormed = (value: string): string => Buffer.from(value).toString();

/** Micros per thousand as decimal currency units: at most six decimals, never an exponent. */
export const formatCpm = (cpmMicros: number): string => {
  const [whole, decimals] = (cpmMicros / 1_000_000).toFixed(6).split('.') as [string, string];
  const kept = decimals.replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
};
