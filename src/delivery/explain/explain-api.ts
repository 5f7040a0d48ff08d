import { component } from '../../api/component.ts';
import { at, created, defineRoutes, jsonBody, ok, ownBody } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { AD_REQUEST, FLAT_AD_REQUEST } from '../../api/public/ad-api.ts';
import type { WireImpTrace } from '../../http/openrtb/write-trace.ts';
import { EXPLANATION } from './explanation.ts';
import { TEST_CONTEXT } from './test-context.ts';

const QUESTION = component('Question', s.closedRecord({ request: s.anyOf(AD_REQUEST, FLAT_AD_REQUEST), line_item_id: s.integer }), {
  request: { id: 'page-view-81', imp: [{ id: '1', tagid: 'article-top' }], user: { id: 'reader-7' }, ext: { publisher_id: 1 } },
  line_item_id: 5,
});

const TEST_AD_REQUEST = component('TestAdRequest', s.bothOf(AD_REQUEST, s.record({ context: s.optional(TEST_CONTEXT) })), {
  id: 'page-view-81',
  imp: [{ id: '1', tagid: 'article-top', banner: { w: 728, h: 90 }, ext: { kv: { section: 'sport' } } }],
  site: { page: 'https://gazette.example/sport' },
  user: { id: 'reader-7' },
  ext: { publisher_id: 1, kv: { language: 'en' } },
  context: { country: 'FI', device: 'mobile' },
});

const MARKUP = '<a href="https://boots.example/"><img src="https://cdn.example/boots.png" width="728" height="90" alt="Boots"></a>';

/** An ad response with its trace, without ids and tracking URLs of bids. */
interface TestAnswer {
  /** Of its prices. */
  readonly cur: string;
  readonly seatbid: readonly { readonly bid: readonly TestBid[] }[];
  readonly nbr?: number;
  readonly ext: { readonly events: readonly string[] };
  readonly debug: {
    readonly trace: {
      readonly snapshot_version: number;
      readonly imps: readonly WireImpTrace[];
      readonly timings_ms: Readonly<Record<string, number>>;
    };
  };
}

interface TestBid {
  readonly crid: string;
  readonly adm: string;
  readonly price: number;
  readonly w: number;
  readonly h: number;
}

const TEST_AD_RESPONSE = component(
  'TestAdResponse',
  s.objectAs<TestAnswer>({ description: 'An AdResponse with the trace, without ids and tracking URLs of bids' }),
  {
    ...{ id: 'page-view-81', cur: 'USD' },
    seatbid: [
      {
        bid: [
          {
            ...{ impid: '1', cid: '3', price: 4.5, crid: '9', adm: MARKUP, adomain: ['boots.example'] },
            ...{ cat: ['483'], cattax: 7, w: 728, h: 90 },
          },
        ],
      },
    ],
    ext: { events: ['like', 'share', 'comment', 'viewable'] },
    debug: { trace: { snapshot_version: 12, imps: [], timings_ms: {} } },
  },
);

const DEBUG_GRANT_REQUEST = component('DebugGrantRequest', s.closedRecord({ publisher_id: s.integer }), { publisher_id: 1 });

const DEBUG_GRANT = component('DebugGrant', s.record({ token: s.text, url: s.text, expires: s.moment }), {
  ...{ token: 'eyJ…', url: 'https://ads.example.com/ad?debug=1&debug_grant=eyJ…' },
  expires: '2026-10-14T12:00:00.000Z',
});

/** Decisions without side effects, and traces of real ones. */
export const EXPLAIN_API = defineRoutes({
  explainLineItem: {
    ...at('POST', '/api/explain', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    asks: true,
    summary: 'Why a line item would or would not fill an ad request. Serves and counts nothing, and calls no bidder.',
    // The rules of ad requests check the one inside.
    body: ownBody(QUESTION),
    answer: ok('The outcome of each creative', EXPLANATION),
    problems: ['not_found'],
  },
  testAd: {
    ...at('POST', '/api/test_ad', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    asks: true,
    summary: 'The ad that a request would get, with the whole trace. Calls bidders; serves, counts and bills nothing.',
    body: ownBody(TEST_AD_REQUEST),
    answer: ok('As POST /ad?debug=1, without ids and tracking URLs', TEST_AD_RESPONSE),
  },
  createDebugGrant: {
    ...at('POST', '/api/debug_grants', 'delivery'),
    needs: 'bookings.write',
    reach: 'publishers',
    summary: "A URL of POST /ad that shows whole traces of one publisher's requests in production, for an hour",
    body: jsonBody(DEBUG_GRANT_REQUEST, 'The debug grant names no publisher.'),
    answer: created('Valid until it expires or the token secret is replaced', DEBUG_GRANT),
  },
});
