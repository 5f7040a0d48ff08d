import { asList, asObject } from './json-fields.ts';

export interface MockBidAnswer {
  readonly status: 200 | 204;
  /** Delay before the response. */
  readonly delayMs: number;
  /** JSON; null for 204. */
  readonly body: object | null;
}

const MAX_DELAY_MS = 10_000;

const HTML =
  '<div style="display:flex;align-items:center;justify-content:center;width:100%;height:100%;font:14px sans-serif;background:#eef;color:#224">' +
  'Test bid at ${AUCTION_PRICE} ${AUCTION_CURRENCY}</div>';

const NATIVE = JSON.stringify({
  ver: '1.2',
  link: { url: 'https://example.com/test-bid' },
  assets: [
    { id: 1, title: { text: 'Test bid' } },
    { id: 4, data: { value: 'Example' } },
    { id: 5, data: { value: 'Sold at ${AUCTION_PRICE} ${AUCTION_CURRENCY}' } },
  ],
});

/**
 * The response of POST /test/bid: a bid of 1.75 for any body. Of a BidRequest only the id and the
 * imp ids are used, which are echoed. Query parameters, for tests: `price` (a number), `delay`
 * (milliseconds), `no_bid=1` (204), `native=1`.
 */
export const mockBid = (query: URLSearchParams, body: unknown): MockBidAnswer => {
  const request = asObject(body);
  const delayMs = Math.min(Math.max(Number(query.get('delay') ?? 0) || 0, 0), MAX_DELAY_MS);
  if (query.get('no_bid') === '1') return { status: 204, delayMs, body: null };
  const price = Number(query.get('price') ?? NaN);
  const native = query.get('native') === '1';
  return {
    status: 200,
    delayMs,
    body: {
      id: echoedId(request?.['id'], 'test'),
      cur: 'USD',
      seatbid: [
        {
          bid: echoedImps(request).map((impid, index) => ({
            id: `test-bid-${index + 1}`,
            impid,
            price: Number.isFinite(price) ? price : 1.75,
            adm: native ? NATIVE : HTML,
            crid: 'test-creative',
            adomain: ['example.com'],
            mtype: native ? 4 : 1,
          })),
        },
      ],
    },
  };
};

const echoedId = (id: unknown, otherwise: string): string => (typeof id === 'string' && id !== '' && id.length <= 128 ? id : otherwise);

const echoedImps = (request: Readonly<Record<string, unknown>> | null): readonly string[] => {
  const imps = (asList(request?.['imp']) ?? []).slice(0, 20);
  return imps.length === 0 ? ['1'] : imps.map((imp) => echoedId(asObject(imp)?.['id'], '1'));
};
