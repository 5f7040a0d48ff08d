import { Unsafe, type TUnsafe } from '@sinclair/typebox';
import { isObject } from '../../base/narrow.ts';
import * as s from '../../base/schema.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../http/openrtb/ad-request-schema.ts';
import { component } from '../component.ts';
import { ownQuery, required } from '../parameters.ts';
import { at, defineRoutes, file, ok, ownBody, PUBLIC } from '../route.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An OpenRTB schema as a component: without its `$id`, which would be a second address inside the
 * document, and with the fields that the service ignores allowed in words, for clients that are
 * generated from it.
 */
export const embedded = ({ $id: _, ...schema }: Fields): TUnsafe<Fields> => Unsafe(opened(schema) as Fields);

const opened = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, opened(value)]));
  const isRecord = isObject(schema['properties']) && !('additionalProperties' in schema);
  return isRecord ? { ...inner, additionalProperties: true } : inner;
};

const adRequest = {
  id: 'page-view-81',
  imp: [{ id: '1', tagid: 'article-top', banner: { w: 728, h: 90 }, ext: { kv: { section: 'sport' } } }],
  site: { page: 'https://gazette.example/sport' },
  user: { id: 'reader-7' },
  ext: { publisher_id: 1, kv: { language: 'en' } },
};

export const BID_EXAMPLE = {
  crid: '9',
  adm: '<a href="https://boots.example/"><img src="https://cdn.example/boots.png" width="728" height="90" alt="Boots"></a>',
  adomain: ['boots.example'],
  cat: ['483'],
  cattax: 7,
  w: 728,
  h: 90,
};

export const AD_REQUEST = component('AdRequest', embedded(AD_REQUEST_SCHEMA), adRequest);
export const FLAT_AD_REQUEST = component('FlatAdRequest', embedded(FLAT_AD_REQUEST_SCHEMA), {
  ...{ publisher_id: 1, placement_id: 'article-top', user_id: 'reader-7', kv: { section: 'sport' } },
});

/** Of a bid's advertiser. */
export const CATEGORIES = {
  cat: s.optional(s.listOf(s.text, { description: 'What the advertiser sells' })),
  cattax: s.optional(s.described(s.integer, 'Their taxonomy, in OpenRTB’s list; 7: IAB Content Taxonomy 3.0')),
};

const BID = component(
  'Bid',
  s.record({
    id: s.text,
    impid: s.text,
    crid: s.described(s.text, 'Creative'),
    cid: s.described(s.text, 'Campaign'),
    adm: s.described(s.text, 'HTML for html and banner creatives, JSON text for native, VAST for video and audio'),
    price: s.described(s.number, 'eCPM in `cur`'),
    adomain: s.optional(s.listOf(s.text)),
    ...CATEGORIES,
    w: s.integer,
    h: s.integer,
    impurl: s.text,
    clkurl: s.text,
    evturl: s.described(s.text, 'Append &type=…'),
    repturl: s.text,
    ext: s.optional(s.record({ click_url: s.optional(s.text) })),
  }),
);

const AD_RESPONSE = component(
  'AdResponse',
  s.record({
    id: s.described(s.text, 'The id of the request'),
    cur: s.described(s.text, 'ISO 4217: the currency of the publisher'),
    seatbid: s.listOf(s.record({ bid: s.listOf(BID) })),
    nbr: s.optional(s.described(s.integer, 'No-bid reason, present when no impression was filled')),
    ext: s.optional(
      s.record({
        events: s.optional(s.listOf(s.text, { description: 'Event types that `evturl` accepts' })),
        nonbid: s.optional(s.listOf(s.record({ impid: s.text, nbr: s.integer }), { description: 'Impressions that were not filled' })),
      }),
    ),
    debug: s.optional(s.anyObject({ description: 'With debug=1: `trace`' })),
  }),
  {
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
            ...BID_EXAMPLE,
            ext: { click_url: 'https://boots.example/' },
          },
        ],
      },
    ],
    ext: { events: ['like', 'share', 'comment', 'viewable'] },
  },
);

export const debugQuery = (words: string) => ownQuery(s.oneOf(['1']), words);
/** Plain tags: what docs/tags.md says of the query. */
const TAG_QUERY = {
  placement: required(ownQuery(s.text, 'The placement')),
  publisher: ownQuery(s.text, 'The id of a publisher that lists its web origins'),
  key: ownQuery(s.text, 'The API key of any other publisher'),
  n: ownQuery(s.text, 'The recipient or visitor: joins image and click, and is the user of frequency caps'),
  size: ownQuery(s.text, 'Sizes that the place takes, such as 728x90,320x50'),
  ...Object.fromEntries(
    ['gdpr', 'gdpr_consent', 'gpp', 'gpp_sid', 'us_privacy', 'coppa'].map((name) => [name, ownQuery(s.text, 'A privacy signal')]),
  ),
  debug: debugQuery('Adds the trace'),
};
/** The same for players: what docs/video.md says of the query. */
const { publisher, n, ...SHARED_QUERY } = TAG_QUERY;
const VAST_QUERY = {
  ...SHARED_QUERY,
  publisher_id: publisher,
  n,
  v: ownQuery(s.oneOf(['2', '3', '4', '4.2']), 'The version of VAST that the player reads; default: that of the placement, else 4.2'),
};
const BREAK_QUERY = {
  break: ownQuery(s.integerOf({ minimum: 1, maximum: 50 }), 'The number of a break of the placement, as /vmap names it'),
};
const TAG_PROBLEMS = ['invalid_request', 'unauthorized', 'origin_not_allowed', 'unavailable'] as const;

/** Ad requests of pages and servers. Served by src/http: the table has them for the document. */
export const AD_API = defineRoutes({
  requestAd: {
    ...at('POST', '/ad', 'ads'),
    access: 'publisher',
    summary: 'Request ads',
    parameters: {
      debug: debugQuery('Adds debug.trace: how each impression was decided'),
      debug_grant: ownQuery(s.text, 'In production: a token of POST /api/debug_grants, without which the trace has no figures'),
    },
    body: ownBody(AD_REQUEST, { forms: [AD_REQUEST, FLAT_AD_REQUEST] }),
    answer: ok('A bid for each filled impression; nbr when none is filled', AD_RESPONSE),
    problems: ['invalid_dimensions', 'unauthorized', 'origin_not_allowed', 'unavailable'],
  },
  showTagFrame: {
    ...at('GET', '/tag/iframe', 'ads', PUBLIC),
    summary: 'An html or banner ad as a document, for a frame',
    parameters: TAG_QUERY,
    answer: file('Empty when there is no ad', { 'text/html': { schema: s.text } }),
    problems: TAG_PROBLEMS,
  },
  playVast: {
    ...at('GET', '/vast', 'ads', PUBLIC),
    summary: 'A video or audio ad for a player, or the ads of a break, as VAST; see docs/video.md',
    parameters: { ...VAST_QUERY, ...BREAK_QUERY },
    answer: file('VAST; a document without an ad when there is none', {
      'application/xml': { schema: s.text, example: '<VAST version="4.2" xmlns="http://www.iab.com/VAST">…</VAST>' },
    }),
    problems: TAG_PROBLEMS,
  },
  listBreaks: {
    ...at('GET', '/vmap', 'ads', PUBLIC),
    summary: 'The ad breaks of a placement for a player, as VMAP; see docs/video.md',
    parameters: VAST_QUERY,
    answer: file('VMAP: each break with the tag of its ads', {
      'application/xml': {
        schema: s.text,
        example: '<vmap:VMAP version="1.0" xmlns:vmap="http://www.iab.net/videosuite/vmap">…</vmap:VMAP>',
      },
    }),
    problems: TAG_PROBLEMS,
  },
  reportVastError: {
    ...at('GET', '/vast/error', 'ads', PUBLIC),
    summary: 'What a player calls that got a document without an ad',
    parameters: { code: ownQuery(s.text, 'The code of VAST') },
    answer: file('A transparent GIF', { 'image/gif': {} }),
    problems: ['unknown_host'],
  },
  showTagImage: {
    ...at('GET', '/tag/image', 'ads', PUBLIC),
    summary:
      'The image of a banner ad, for e-mail; counts its impression. Its link is /tag/click with the same query, which only redirects',
    parameters: TAG_QUERY,
    answer: {
      ...file('A transparent GIF: there is no ad', { 'image/gif': {} }),
      others: { 302: { description: 'Redirects to the image' } },
    },
    problems: TAG_PROBLEMS,
  },
});
