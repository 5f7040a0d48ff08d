import { NoBidReason } from '../decision/no-bid-reason.ts';

interface Outcome {
  /** Non-bid status code of the OpenRTB community extension "seat non bid"; null when nothing was refused. */
  readonly seatNonBid: number | null;
  /** OpenRTB loss reason code told to the bidder's `lurl`; null when there was no bid that could be told. */
  readonly lossReason: number | null;
  readonly reason: NoBidReason;
  /** For the trace: our words, never the bidder's. */
  readonly detail: string;
}

const refused = (
  seatNonBid: number,
  lossReason: number | null,
  detail: string,
  reason: NoBidReason = NoBidReason.BiddersDidNotBid,
): Outcome => ({
  seatNonBid,
  lossReason,
  reason,
  detail,
});

/** Every way in which asking a bidder can end. The key is the metric label and the trace's word: a closed set. */
export const BID_OUTCOMES = {
  accepted: { seatNonBid: null, lossReason: null, reason: NoBidReason.BiddersDidNotBid, detail: 'bid accepted' },
  no_bid: refused(0, null, 'the bidder chose not to bid'),

  internal_error: refused(100, null, 'asking the bidder failed here', NoBidReason.TechnicalError),
  timeout: refused(101, null, 'no whole answer before the deadline', NoBidReason.BiddersOutOfTime),
  bad_status: refused(102, null, 'status other than 200 and 204'),
  redirect: refused(102, null, 'redirects are not followed'),
  bad_encoding: refused(102, null, 'not identity or sound gzip, or not UTF-8'),
  too_large: refused(102, null, 'answer over 256 KiB'),
  malformed: refused(102, 3, 'not an OpenRTB bid response'),
  unreachable: refused(103, null, 'no connection to the bidder'),
  circuit_open: refused(103, null, 'bidder failing, left alone for a while'),

  bad_endpoint: refused(200, null, 'endpoint URL not allowed'),
  forbidden_address: refused(200, null, 'endpoint at an address that may not be called'),
  busy: refused(200, null, 'too many calls to this bidder under way'),

  unknown_imp: refused(300, 3, 'bid for an impression that was not asked'),
  wrong_currency: refused(300, 3, 'currency other than the one asked'),
  missing_price: refused(300, 9, 'no price'),
  bad_price: refused(300, 3, 'price not a finite number above zero and in reason'),
  below_floor: refused(301, 100, 'price below the floor'),
  outbid_by_itself: refused(300, 102, 'a higher bid stood in the same answer'),
  missing_markup: refused(350, 7, 'no markup'),
  markup_too_large: refused(350, 200, 'markup over 64 KiB'),
  bad_native: refused(350, 3, 'native markup unreadable or without title or link'),
  wrong_size: refused(351, 203, 'larger than the slot'),
  not_secure: refused(352, 207, 'http resource for an https page'),
  wrong_format: refused(353, 204, 'markup of another format'),
} as const satisfies Readonly<Record<string, Outcome>>;

export type BidOutcome = keyof typeof BID_OUTCOMES;

export const BID_OUTCOME_NAMES = Object.keys(BID_OUTCOMES) as readonly BidOutcome[];
