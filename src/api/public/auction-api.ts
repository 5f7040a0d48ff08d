import { Unsafe } from '@sinclair/typebox';
import * as s from '../../base/schema.ts';
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
  s.record({
    id: s.text,
    impid: s.text,
    price: s.described(s.number, 'CPM in `cur`'),
    burl: s.optional(s.described(s.text, 'Counts and bills the impression; absent in test mode, and of a video, whose Impression does')),
    adm: s.described(s.text, 'Markup, JSON text of OpenRTB Native 1.2, or VAST'),
    adomain: s.optional(s.listOf(s.text)),
    ...CATEGORIES,
    cid: s.described(s.text, 'Campaign'),
    crid: s.described(s.text, 'Creative'),
    dealid: s.optional(s.text),
    mtype: Unsafe<1 | 2 | 3 | 4>({ enum: [1, 2, 3, 4], description: '1: banner, 2: video, 3: audio, 4: native' }),
    dur: s.optional(s.described(s.integer, 'Seconds, of a video or audio ad')),
    w: s.optional(s.integer),
    h: s.optional(s.integer),
    exp: s.described(s.integer, 'Seconds until the bid can no longer be shown'),
    ext: s.optional(s.record({ dsa: s.optional(s.record({ behalf: s.text, paid: s.text, adrender: s.integer })) })),
  }),
);

const AUCTION_RESPONSE = component(
  'AuctionResponse',
  s.record(
    {
      id: s.described(s.text, 'The id of the request'),
      cur: s.text,
      seatbid: s.listOf(s.record({ seat: s.described(s.text, 'The bidder code of the request'), bid: s.listOf(AUCTION_BID) })),
      nbr: s.optional(s.described(s.integer, 'No-bid reason, present when no impression was filled')),
      ext: s.record({
        seatnonbid: s.listOf(
          s.record({ seat: s.text, nonbid: s.listOf(s.record({ impid: s.text, statuscode: s.integer }, { additionalProperties: true })) }),
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
