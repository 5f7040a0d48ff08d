import { NoBidReason } from '../decision/no-bid-reason.ts';

interface Outcome {
  /**
   * Non-bid status code of the OpenRTB community extension "seat non bid"; null when nothing was
   * refused.
   */
  readonly seatNonBid: number | null;
  /**
   * OpenRTB loss reason code for the bidder's `lurl`; null when there was no bid to send it for.
   */
  readonly lossReason: number | null;
  readonly reason: NoBidReason;
  /** For the trace. */
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

/** Every possible outcome of a bidder call or a bid. The key is the metric label: a closed set. */
export const BID_OUTCOMES = {
  accepted: { seatNonBid: null, lossReason: null, reason: NoBidReason.BiddersDidNotBid, detail: 'bid accepted' },
  no_bid: refused(0, null, 'the bidder did not bid'),

  internal_error: refused(100, null, 'the ad server failed to call the bidder', NoBidReason.TechnicalError),
  timeout: refused(101, null, 'no complete response before the deadline', NoBidReason.BiddersOutOfTime),
  bad_status: refused(102, null, 'response status is neither 200 nor 204'),
  redirect: refused(102, null, 'redirects are not followed'),
  bad_encoding: refused(102, null, 'response is not identity or valid gzip, or not UTF-8'),
  too_large: refused(102, null, 'response over 256 KiB, 64 levels or 12,000 values'),
  malformed: refused(102, 3, 'not an OpenRTB bid response'),
  unreachable: refused(103, null, 'no connection to the bidder'),
  circuit_open: refused(103, null, 'circuit open after repeated failures'),

  slow: refused(101, null, 'asked less often, because many of its calls run out of time', NoBidReason.BiddersOutOfTime),

  bad_endpoint: refused(200, null, 'endpoint URL not allowed'),
  forbidden_address: refused(200, null, 'endpoint address not allowed'),
  busy: refused(200, null, 'too many concurrent calls to this bidder'),

  no_rate: refused(205, null, 'no exchange rate for the currency of the bidder'),
  sealed_headers: refused(200, null, 'SEAL_KEYS cannot open the headers of the bidder', NoBidReason.TechnicalError),

  unknown_imp: refused(300, 3, 'bid for an impression that was not requested'),
  wrong_currency: refused(300, 3, 'no exchange rate for the currency of the bid'),
  missing_price: refused(300, 9, 'no price'),
  bad_price: refused(300, 3, 'price is not a number above zero and up to 1,000'),
  below_floor: refused(301, 100, 'price below the floor'),
  below_deal_floor: refused(304, 101, 'price below the floor of the deal'),
  unknown_deal: refused(300, 4, 'not under a deal that was offered'),
  blocked_seat: refused(300, 104, 'seat not among those of the bidder'),
  outbid_by_itself: refused(300, 102, 'a higher bid is in the same response'),
  missing_markup: refused(350, 7, 'no markup'),
  markup_too_large: refused(350, 200, 'markup over 64 KiB'),
  bad_native: refused(350, 3, 'native markup is invalid or has no title or link'),
  bad_vast: refused(350, 3, 'not VAST of one ad, or too deep or long'),
  not_for_player: refused(350, 200, 'length, files or skipping are not what the player takes'),
  wrong_size: refused(351, 203, 'larger than the impression'),
  not_secure: refused(352, 207, 'http resource on an https page'),
  wrong_format: refused(353, 204, 'markup of another format'),
  blocked_advertiser: refused(356, 205, 'advertiser blocked'),
  blocked_category: refused(357, 209, 'category blocked'),
  no_dsa: refused(300, 200, 'lacks the transparency information that the DSA requires'),
  blocked_attribute: refused(350, 210, 'creative attribute blocked'),
} as const satisfies Readonly<Record<string, Outcome>>;

export type BidOutcome = keyof typeof BID_OUTCOMES;

export const BID_OUTCOME_NAMES = Object.keys(BID_OUTCOMES) as readonly BidOutcome[];

/** The outcome as the trace shows it: words and OpenRTB codes. */
export const describeOutcome = (outcome: BidOutcome): string => {
  const { seatNonBid, lossReason, detail } = BID_OUTCOMES[outcome];
  return `${detail} (seat-non-bid ${seatNonBid}${lossReason === null ? '' : `, loss ${lossReason}`})`;
};
