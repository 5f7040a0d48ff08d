import { Unsafe } from '@sinclair/typebox';
import { described, integer, listOf, number, optional, record, text } from '../../base/schema.ts';
import { AUCTION_REQUEST_SCHEMA } from '../../http/openrtb/auction-schema.ts';
import { component } from '../component.ts';
import { at, defineRoutes, ok, ownBody } from '../route.ts';
import { BID_EXAMPLE, CATEGORIES, debugQuery, embedded } from './ad-api.ts';

const AUCTION_REQUEST = component('AuctionRequest', embedded(AUCTION_REQUEST_SCHEMA), {
  id: 'auction-5',
  imp: [
    {
      id: 'div-top',
      banner: { format: [{ w: 728, h: 90 }] },
      bidfloor: 0.5,
      ext: { prebid: { bidder: { direct: { placement: 'article-top' } } } },
    },
  ],
  site: { page: 'https://gazette.example/sport', publisher: { id: '1' }, ext: { data: { section: 'sport' } } },
});

const AUCTION_BID = component(
  'AuctionBid',
  record({
    id: text,
    impid: text,
    price: described(number, 'CPM in `cur`'),
    burl: optional(described(text, 'Counts and bills the impression; absent in test mode')),
    adm: described(text, 'Markup, or JSON text of OpenRTB Native 1.2'),
    adomain: optional(listOf(text)),
    ...CATEGORIES,
    cid: described(text, 'Campaign'),
    crid: described(text, 'Creative'),
    dealid: optional(text),
    mtype: Unsafe<1 | 4>({ enum: [1, 4], description: '1: banner, 4: native' }),
    w: optional(integer),
    h: optional(integer),
    exp: described(integer, 'Seconds until the bid can no longer be shown'),
    ext: optional(record({ dsa: optional(record({ behalf: text, paid: text, adrender: integer })) })),
  }),
);

const AUCTION_RESPONSE = component(
  'AuctionResponse',
  record(
    {
      id: described(text, 'The id of the request'),
      cur: text,
      seatbid: listOf(record({ seat: described(text, 'The bidder code of the request'), bid: listOf(AUCTION_BID) })),
      nbr: optional(described(integer, 'No-bid reason, present when no impression was filled')),
      ext: record({
        seatnonbid: listOf(
          record({ seat: text, nonbid: listOf(record({ impid: text, statuscode: integer }, { additionalProperties: true })) }),
        ),
      }),
    },
    { description: 'A BidResponse of OpenRTB 2.6' },
  ),
  {
    id: 'auction-5',
    cur: 'USD',
    seatbid: [
      {
        seat: 'direct',
        bid: [
          {
            id: 'qEI03CmYiQjqGv9f',
            impid: 'div-top',
            price: 4.5,
            burl: 'https://ads.example.com/impression?t=eyJ…',
            cid: '3',
            mtype: 1,
            exp: 55,
            ...BID_EXAMPLE,
          },
        ],
      },
    ],
    ext: { seatnonbid: [] },
  },
);

/** Header bidding. Served by src/http: the table has it for the document. */
export const AUCTION_API = defineRoutes({
  runAuction: {
    ...at('POST', '/openrtb2/auction', 'ads'),
    access: 'publisher_or_origin',
    summary: 'Bid in an OpenRTB 2.6 auction of Prebid.js or Prebid Server',
    parameters: { debug: debugQuery('Adds ext.debug.trace: how each impression was decided') },
    body: ownBody(AUCTION_REQUEST),
    answer: ok('A bid for each filled impression; nbr when none is filled', AUCTION_RESPONSE),
    problems: ['unauthorized', 'origin_not_allowed', 'unavailable'],
  },
});
