import { asList, asObject, asText } from './json-fields.ts';

/** A bid as it was sent, with its seat. */
export interface Offer {
  readonly bid: Readonly<Record<string, unknown>>;
  readonly seat: string;
}

/** Every bid of `seatbid`; null: a seat or a bid is not an object. */
export const collectOffers = (seats: readonly unknown[], maxIdLength: number): readonly Offer[] | null => {
  const offers: Offer[] = [];
  for (const entry of seats) {
    const seatBid = asObject(entry);
    const bids = asList(seatBid?.['bid']);
    if (seatBid === null || bids === null) return null;
    for (const value of bids) {
      const bid = asObject(value);
      if (bid === null) return null;
      offers.push({ bid, seat: asText(seatBid['seat'], maxIdLength) });
    }
  }
  return offers;
};
