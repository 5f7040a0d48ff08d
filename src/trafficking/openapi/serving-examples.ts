import { REMEDIES } from '../../api/remedies.ts';

/** A trace id, which a request with a traceparent gets. */
export const EXAMPLE_REQUEST_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const adRequest = {
  id: 'page-view-81',
  imp: [{ id: '1', tagid: 'article-top', banner: { w: 728, h: 90 }, ext: { kv: { section: 'sport' } } }],
  site: { page: 'https://gazette.example/sport' },
  user: { id: 'reader-7' },
  ext: { publisher_id: 1, kv: { language: 'en' } },
};

const markup = {
  crid: '9',
  adm: '<a href="https://boots.example/"><img src="https://cdn.example/boots.png" width="728" height="90" alt="Boots"></a>',
  adomain: ['boots.example'],
  cat: ['483'],
  cattax: 7,
  w: 728,
  h: 90,
};

/** Bodies of ads, tracking and operations. */
export const SERVING_EXAMPLES = {
  AdRequest: adRequest,
  FlatAdRequest: { publisher_id: 1, placement_id: 'article-top', user_id: 'reader-7', kv: { section: 'sport' } },
  TestAdRequest: { ...adRequest, context: { country: 'FI', device: 'mobile' } },
  AdResponse: {
    id: 'page-view-81',
    cur: 'USD',
    seatbid: [
      {
        bid: [
          {
            id: 'qEI03CmYiQjqGv9f',
            impid: '1',
            cid: '3',
            price: 4.5,
            impurl: 'https://ads.example.com/impression?t=eyJ…',
            clkurl: 'https://ads.example.com/click?t=eyJ…',
            evturl: 'https://ads.example.com/event?t=eyJ…',
            repturl: 'https://ads.example.com/report?t=eyJ…',
            ...markup,
            ext: { click_url: 'https://boots.example/' },
          },
        ],
      },
    ],
    ext: { events: ['like', 'share', 'comment', 'viewable'] },
  },
  TestAdResponse: {
    id: 'page-view-81',
    cur: 'USD',
    seatbid: [{ bid: [{ impid: '1', cid: '3', price: 4.5, ...markup }] }],
    ext: { events: ['like', 'share', 'comment', 'viewable'] },
    debug: { trace: { snapshot_version: 12 } },
  },
  AuctionRequest: {
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
  },
  AuctionResponse: {
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
            ...markup,
          },
        ],
      },
    ],
    ext: { seatnonbid: [] },
  },
  QualityReport: { token: 'eyJ…', reason: 'misleading' },
  StoredReport: { id: '2f1c7f0e-6a55-4a0c-9f0b-1d6d0c1f7a11' },
  SellersJson: {
    version: '1.0',
    sellers: [{ seller_id: '1', name: 'The Gazette', domain: 'gazette.example', seller_type: 'PUBLISHER' }],
  },
  Health: { status: 'ok' },
  Build: { version: '1.0.0', commit: '6cef9a9', node: '24.4.1' },
  Readiness: { status: 'ok' },
  BidRequest: { id: 'page-view-81', imp: [{ id: '1', banner: { w: 728, h: 90 } }] },
  BidResponse: { id: 'page-view-81', cur: 'USD', seatbid: [{ bid: [{ id: 'b1', impid: '1', price: 2, adm: '<b>ad</b>', crid: 'c1' }] }] },
  Problem: {
    type: '/problems/invalid_request',
    title: 'Invalid request',
    status: 400,
    detail: REMEDIES.invalid_request,
    instance: '/ad',
    code: 'invalid_request',
    request_id: EXAMPLE_REQUEST_ID,
    errors: [{ pointer: '/imp/0/tagid', detail: 'is required' }],
  },
};
