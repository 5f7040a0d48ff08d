import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USD_ONLY } from '../../src/bidders/currency-rates.ts';
import type { Bidder, LineItem } from '../../src/catalog/model/entities.ts';
import { sampleBidder } from '../../testkit/sample-booking.ts';
import { startPrebidServer } from '../../testkit/start-prebid-server.ts';
import { atEnd } from '../setup/at-end.ts';
import { context, httpBidder, invitationTo, opportunity, watchedBidders } from './bidder-fixtures.ts';

/** An exchange with Prebid Server: what it is sent, what it answers, and what the line items get. */
interface Exchange {
  readonly name: string;
  readonly bidder: Partial<Bidder>;
  readonly lineItems: readonly Partial<LineItem>[];
  readonly sent: object;
  readonly answer?: object;
  readonly bids: readonly { readonly lineItem: number; readonly cpm: number }[];
  readonly refusals: readonly { readonly lineItem: number; readonly detail: string }[];
}

const FOLDER = join(__dirname, 'prebid-server');
const EXCHANGES = readdirSync(FOLDER).flatMap((file) => [JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))].flat() as Exchange[]);

const invited = (lineItems: Exchange['lineItems']) =>
  lineItems.map((changes, i) => {
    const invitation = invitationTo(null, i + 1);
    return { ...invitation, lineItem: { ...invitation.lineItem, bidderId: 3, ...changes } };
  });

test.each(EXCHANGES)('Prebid Server: $name', async ({ bidder, lineItems, sent, answer, bids, refusals }) => {
  const server = await startPrebidServer({ stored: ['top'], ...(answer && { answer: () => answer }) });
  atEnd(() => server.close());
  const { bidders } = watchedBidders({ timeoutMs: 2_000, rateOf: (currency) => (currency === 'EUR' ? 0.8 : USD_ONLY(currency)) });
  atEnd(() => bidders.close());
  const known = new Map([[3, sampleBidder({ id: 3, endpoint: server.endpoint, ...bidder })]]);
  const got = await bidders.ask([opportunity(invited(lineItems))], { ...context, bidders: known });
  expect(server.received.map(({ body }) => body as unknown)).toMatchObject([sent]);
  expect(server.received[0]?.headers['content-encoding']).toBe(bidder.gzip ? 'gzip' : undefined);
  expect(
    got.bids.map(({ invitation, cpmMicros, ...bid }) => ({ ...bid, lineItem: invitation.lineItem.id, cpm: cpmMicros / 1e6 })),
  ).toMatchObject(bids);
  expect(got.bids).toHaveLength(bids.length);
  expect(got.refusals.map(({ invitation, detail }) => ({ lineItem: invitation.lineItem.id, detail }))).toEqual(refusals);
});

test('what becomes of impressions is counted for the bidder, for each deal that is offered, and for the placement', async () => {
  const bid = { id: '1', impid: 'imp-1', adm: '<b>ad</b>', crid: '1' };
  const server = await startPrebidServer({
    stored: ['top'],
    answer: () => ({
      seatbid: [
        {
          bid: [
            { ...bid, price: 4.5, dealid: 'gold' },
            { ...bid, price: 2.9, dealid: 'silver' },
            { ...bid, price: 0.7 },
          ],
        },
      ],
    }),
  });
  atEnd(() => server.close());
  const { bidders, seen } = watchedBidders({ timeoutMs: 2_000 });
  atEnd(() => bidders.close());
  const params = { prebid: { storedrequest: { id: 'top' } } };
  const known = new Map([[3, sampleBidder({ id: 3, endpoint: server.endpoint, params })]]);
  const deals = [{ dealId: 'gold' }, { dealId: 'silver', floorMicros: 3_000_000 }, {}];
  const { bids } = await bidders.ask([opportunity(invited(deals))], { ...context, bidders: known });
  const open = bids.find(({ deal }) => deal === '')!;
  bidders.notifyWin(bids.find(({ deal }) => deal === 'gold')!);
  bidders.notifyLoss(open, 102);
  expect(seen.steps).toEqual({
    ...{ calls: 1, impressions: 1, bids: 2, refused: 1, wins: 1 },
    ...{ 'deal gold of 3 impressions': 1, 'deal gold of 3 bids': 1, 'deal gold of 3 wins': 1 },
    ...{ 'deal silver of 3 impressions': 1, 'deal silver of 3 refused': 1 },
    ...{ 'placement top impressions': 1, 'placement top bids': 2, 'placement top refused': 1, 'placement top wins': 1 },
  });
});

test('a bidder whose headers cannot be opened, or whose currency has no rate, is not called', async () => {
  const server = await startPrebidServer({ stored: ['top'] });
  atEnd(() => server.close());
  const { bidders, seen } = watchedBidders();
  atEnd(() => bidders.close());
  const ask = async (changes: Partial<Bidder>) => {
    const known = new Map([[3, sampleBidder({ id: 3, endpoint: server.endpoint, ...changes })]]);
    const { refusals } = await bidders.ask([opportunity(invited([{}]))], { ...context, bidders: known });
    return refusals.map(({ detail }) => detail);
  };
  expect(await ask({ headers: { authorization: 'sealed with a lost key' } })).toEqual([
    'SEAL_KEYS cannot open the headers of the bidder (seat-non-bid 200)',
  ]);
  expect(await ask({ currency: 'JPY' })).toEqual(['no exchange rate for the currency of the bidder (seat-non-bid 205)']);
  expect([server.received.length, seen.calls]).toEqual([0, ['sealed_headers', 'no_rate']]);
});

test('a bidder that may use half of the time is not waited for longer, and the others have all of it', async () => {
  const slow = await httpBidder((_, response) => setTimeout(() => response.writeHead(204).end(), 250));
  atEnd(() => slow.close());
  const { bidders } = watchedBidders({ timeoutMs: 400 });
  atEnd(() => bidders.close());
  const known = new Map([
    [3, sampleBidder({ id: 3, endpoint: `${slow.url}/half`, timeoutShare: 0.5 })],
    [4, sampleBidder({ id: 4, endpoint: `${slow.url}/whole` })],
  ]);
  const { refusals } = await bidders.ask([opportunity(invited([{}, { bidderId: 4 }]))], { ...context, bidders: known });
  expect(refusals.map(({ detail }) => detail)).toEqual([
    'no complete response before the deadline (seat-non-bid 101)',
    'the bidder did not bid (seat-non-bid 0)',
  ]);
});
