import { createGene, type BidderAnswer, type Gene } from './gene.ts';
import { plain } from './message.ts';
import type { Target } from './open-target.ts';
import { fresh, json, list, object, type Shape } from './shape.ts';

/** Valid answers of bidders to requests of both formats, with one impression and with twenty. */
export const bidderGenes = ({ booking, bidder }: Target): readonly Gene[] => {
  const notice = json(
    `${bidder.origin}/notice?price=\${AUCTION_PRICE}&bid=\${AUCTION_BID_ID}&seat=\${AUCTION_SEAT_ID:B64}&loss=\${AUCTION_LOSS}`,
  );
  const common = {
    ...{ id: fresh, adid: json('ad'), crid: json('creative'), price: json(5), adomain: list(json('advertiser.example')) },
    ...{ nurl: notice, burl: notice, lurl: notice },
  };
  const htmlBid = object({ ...common, w: json(300), h: json(250), mtype: json(1), adm: HTML });
  const nativeBid = object({ ...common, mtype: json(4), adm: NATIVE_MARKUP });
  const request = (endpoint: string, path: string, placements: string, imps: number, bid: Shape, query: Gene['query'] = []): Gene => ({
    ...createGene('POST', path, {
      role: 'bidder',
      query,
      headers: [
        ['X-API-Key', plain(booking.apiKey)],
        ['Content-Type', plain('application/json')],
      ],
      body: object({
        id: fresh,
        imp: list(
          ...Array.from({ length: imps }, (_, i) =>
            object({
              id: json(`${i}`),
              tagid: { kind: 'fresh', prefix: placements, of: bidder.endpoints } satisfies Shape,
              banner: BANNER,
              native: NATIVE,
            }),
          ),
        ),
        user: object({ id: fresh }),
        // The bidder recognizes the request by its page.
        site: object({ page: { kind: 'fresh', prefix: bidder.pages } }),
        regs: object({ gdpr: json(0) }),
        ext: object({ publisher_id: json(booking.publisherId) }),
      }),
      bid: answerOf(bid, imps),
    }),
    endpoint,
  });
  return [
    request('an html bid', '/ad', bidder.placements.html, 1, htmlBid),
    request('20 html bids', '/ad', bidder.placements.html, 20, htmlBid),
    request('20 html bids, traced', '/ad', bidder.placements.html, 20, htmlBid, [['debug', plain('1')]]),
    request('20 html bids in an auction', '/openrtb2/auction', bidder.placements.html, 20, htmlBid),
    request('a native bid', '/ad', bidder.placements.native, 1, nativeBid),
    request('20 native bids', '/ad', bidder.placements.native, 20, nativeBid),
  ];
};

const BANNER = object({ w: json(300), h: json(250) });
const NATIVE = object({});

const answerOf = (bid: Shape, imps: number): BidderAnswer => ({
  status: 200,
  headers: [['Content-Type', plain('application/json')]],
  body: object({
    id: fresh,
    bidid: json('answer'),
    cur: json('USD'),
    seatbid: list(object({ seat: json('seat'), bid: list(...Array.from({ length: imps }, (_, i) => withImp(bid, i))) })),
  }),
  encoding: 'identity',
  framing: 'length',
});

const withImp = (bid: Shape, i: number): Shape =>
  bid.kind === 'object' ? { ...bid, members: [...bid.members, ['impid', json(`${i}`)]] } : bid;

const HTML: Shape = {
  kind: 'text',
  unit: '<img src="https://bidder.example/a.png?p=${AUCTION_PRICE}&s=${AUCTION_SEAT_ID}" alt="">',
  times: 1,
};

const data = (id: number, value: string): Shape => object({ id: json(id), data: object({ value: json(value) }) });

const NATIVE_MARKUP = object({
  native: object({
    link: object({
      url: json('https://advertiser.example/?p=${AUCTION_PRICE}'),
      clicktrackers: list(json('https://bidder.example/click')),
    }),
    imptrackers: list(json('https://bidder.example/shown')),
    eventtrackers: list(object({ event: json(1), method: json(1), url: json('https://bidder.example/event') })),
    assets: list(
      object({ id: json(1), title: object({ text: json('A title') }) }),
      object({ id: json(2), img: object({ url: json('https://bidder.example/a.png'), w: json(300), h: json(250) }) }),
      data(4, 'A sponsor'),
      data(5, 'A description'),
    ),
  }),
});
