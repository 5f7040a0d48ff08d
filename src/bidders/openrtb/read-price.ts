import type { BidOutcome } from '../bid-outcome.ts';
import { rateBetween, type RateOf } from '../currency-rates.ts';

/** A CPM of more than 1,000 USD is taken as a mistake in units; in a currency without a rate, this many of its units. */
const MAX_CPM_MICROS = 1_000_000_000;
const MAX_UNRATED_CPM_MICROS = 100 * MAX_CPM_MICROS;

/** The currency of an answer. */
export interface Money {
  readonly currency: string;
  /** Its units for one of the publisher's currency. */
  readonly rate: number;
  readonly maxMicros: number;
  /** Units of the currency of the floors for one unit of this currency. */
  readonly toAsked: number;
}

/** Of the floors that a bidder was sent, and of the publisher's books. */
export interface AskedCurrencies {
  readonly asked: string;
  readonly booked: string;
}

/** undefined: a rate is missing. */
export const moneyOf = (currency: unknown, { asked, booked }: AskedCurrencies, rateOf: RateOf): Money | undefined => {
  if (typeof currency !== 'string') return undefined;
  const [rate, toAsked] = [rateBetween(rateOf, booked, currency), rateBetween(rateOf, currency, asked)];
  if (rate === undefined || toAsked === undefined) return undefined;
  const perUsd = rateOf(currency);
  return { currency, rate, maxMicros: perUsd === undefined ? MAX_UNRATED_CPM_MICROS : MAX_CPM_MICROS * perUsd, toAsked };
};

export interface Price {
  /** As it was bid, in the currency of the answer. */
  readonly bidMicros: number;
  /** In the currency of the floors. */
  readonly askedMicros: number;
  /** In the publisher's currency, after the bidder's adjustment. */
  readonly cpmMicros: number;
}

/** The price of a bid, or why it has none. `adjustment`: the bidder's `bidAdjustment`. */
export const readPrice = (value: unknown, { rate, maxMicros, toAsked }: Money, adjustment: number): Price | BidOutcome => {
  if (value === undefined || value === null) return 'missing_price';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'bad_price';
  const bidMicros = Math.round(value * 1_000_000);
  const cpmMicros = Math.round((bidMicros / rate) * adjustment);
  if (cpmMicros < 1 || bidMicros > maxMicros) return 'bad_price';
  return { bidMicros, askedMicros: Math.round(bidMicros * toAsked), cpmMicros };
};
