import type { BidOutcome } from '../bid-outcome.ts';
import type { RateOf } from '../currency-rates.ts';

/** A CPM of more than 1,000 USD is taken as a mistake in units. */
const MAX_CPM_MICROS = 1_000_000_000;

/** The currency of an answer. */
export interface Money {
  readonly currency: string;
  /** Its units for one USD. */
  readonly rate: number;
  /** Units of the currency of the floors for one unit of this currency. */
  readonly toAsked: number;
}

/** undefined: a rate is missing. */
export const moneyOf = (currency: unknown, askedCurrency: string, rateOf: RateOf): Money | undefined => {
  const rate = typeof currency === 'string' ? rateOf(currency) : undefined;
  const askedRate = rateOf(askedCurrency);
  if (typeof currency !== 'string' || rate === undefined || askedRate === undefined) return undefined;
  return { currency, rate, toAsked: currency === askedCurrency ? 1 : askedRate / rate };
};

export interface Price {
  /** As it was bid, in the currency of the answer. */
  readonly bidMicros: number;
  /** In the currency of the floors. */
  readonly askedMicros: number;
  /** In USD, after the bidder's adjustment. */
  readonly cpmMicros: number;
}

/** The price of a bid, or why it has none. `adjustment`: the bidder's `bidAdjustment`. */
export const readPrice = (value: unknown, { rate, toAsked }: Money, adjustment: number): Price | BidOutcome => {
  if (value === undefined || value === null) return 'missing_price';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'bad_price';
  const bidMicros = Math.round(value * 1_000_000);
  const cpmMicros = Math.round((bidMicros / rate) * adjustment);
  if (cpmMicros < 1 || bidMicros / rate > MAX_CPM_MICROS) return 'bad_price';
  return { bidMicros, askedMicros: Math.round(bidMicros * toAsked), cpmMicros };
};
