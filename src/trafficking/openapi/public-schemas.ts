import { isObject } from '../../base/narrow.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../http/openrtb/ad-request-schema.ts';
import { AUCTION_REQUEST_SCHEMA } from '../../http/openrtb/auction-schema.ts';
import { PROBLEMS } from '../../http/problems/problem.ts';
import { REPORT_REASONS } from '../../tracking/report-store.ts';
import { DEVICES } from '../../catalog/model/choices.ts';
import { integer, listOf, number, oneOf, record, ref, text, type Schema } from '../../api/schema.ts';

/**
 * An OpenRTB schema as a component: without its `$id`, which would be a second address inside the
 * document, and with the fields that the service ignores allowed in words, for clients that are
 * generated from it.
 */
const embedded = ({ $id: _, ...schema }: Schema): Schema => opened(schema) as Schema;

const opened = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, opened(value)]));
  const isRecord = isObject(schema['properties']) && !('additionalProperties' in schema);
  return isRecord ? { ...inner, additionalProperties: true } : inner;
};

/** Of a bid's advertiser. */
const CATEGORIES = {
  cat: { ...listOf(text), description: 'What the advertiser sells' },
  cattax: { ...integer, description: 'Their taxonomy, in OpenRTB’s list; 7: IAB Content Taxonomy 3.0' },
};

/** Ads and tracking, and the problems that every operation can return. */
export const PUBLIC_SCHEMAS = {
  AdRequest: embedded(AD_REQUEST_SCHEMA),
  FlatAdRequest: embedded(FLAT_AD_REQUEST_SCHEMA),
  AuctionRequest: embedded(AUCTION_REQUEST_SCHEMA),
  AuctionResponse: {
    type: 'object',
    description: 'A BidResponse of OpenRTB 2.6',
    required: ['id', 'cur', 'seatbid', 'ext'],
    properties: {
      id: { ...text, description: 'The id of the request' },
      cur: text,
      seatbid: listOf(record({ seat: { ...text, description: 'The bidder code of the request' }, bid: listOf(ref('AuctionBid')) })),
      nbr: { ...integer, description: 'No-bid reason, present when no impression was filled' },
      ext: record({
        seatnonbid: listOf(
          record({ seat: text, nonbid: listOf(record({ impid: text, statuscode: integer }, { additionalProperties: true })) }),
        ),
      }),
    },
  },
  AuctionBid: {
    type: 'object',
    required: ['id', 'impid', 'price', 'adm', 'cid', 'crid', 'mtype', 'exp'],
    properties: {
      id: text,
      impid: text,
      price: { ...number, description: 'CPM in `cur`' },
      burl: { ...text, description: 'Counts and bills the impression; absent in test mode' },
      adm: { ...text, description: 'Markup, or JSON text of OpenRTB Native 1.2' },
      adomain: listOf(text),
      ...CATEGORIES,
      cid: { ...text, description: 'Campaign' },
      crid: { ...text, description: 'Creative' },
      dealid: text,
      mtype: { enum: [1, 4], description: '1: banner, 4: native' },
      w: integer,
      h: integer,
      exp: { ...integer, description: 'Seconds until the bid can no longer be shown' },
      ext: { type: 'object', properties: { dsa: record({ behalf: text, paid: text, adrender: integer }) } },
    },
  },
  TestAdRequest: {
    allOf: [
      ref('AdRequest'),
      {
        type: 'object',
        properties: {
          context: {
            type: 'object',
            description: 'Overrides what the address and the user agent say',
            properties: { country: text, region: text, city: text, device: oneOf(DEVICES) },
          },
        },
      },
    ],
  },
  TestAdResponse: { type: 'object', description: 'An AdResponse with the trace, without ids and tracking URLs of bids' },
  AdResponse: {
    type: 'object',
    required: ['id', 'cur', 'seatbid'],
    properties: {
      id: { ...text, description: 'The id of the request' },
      cur: { const: 'USD' },
      seatbid: listOf(record({ bid: listOf(ref('Bid')) })),
      nbr: { ...integer, description: 'No-bid reason, present when no impression was filled' },
      ext: {
        type: 'object',
        properties: {
          events: { ...listOf(text), description: 'Event types that `evturl` accepts' },
          nonbid: { ...listOf(record({ impid: text, nbr: integer })), description: 'Impressions that were not filled' },
        },
      },
      debug: { type: 'object', description: 'With debug=1: `trace`' },
    },
  },
  Bid: {
    type: 'object',
    required: ['id', 'impid', 'crid', 'cid', 'adm', 'price', 'w', 'h', 'impurl', 'clkurl', 'evturl', 'repturl'],
    properties: {
      id: text,
      impid: text,
      crid: { ...text, description: 'Creative' },
      cid: { ...text, description: 'Campaign' },
      adm: { ...text, description: 'HTML for html and banner creatives, JSON text for native' },
      price: { ...number, description: 'eCPM in USD' },
      adomain: listOf(text),
      ...CATEGORIES,
      w: integer,
      h: integer,
      impurl: text,
      clkurl: text,
      evturl: { ...text, description: 'Append &type=…' },
      repturl: text,
      ext: { type: 'object', properties: { click_url: text } },
    },
  },
  QualityReport: {
    type: 'object',
    required: ['token', 'reason'],
    additionalProperties: false,
    properties: { token: { ...text, description: 'The token of any tracking URL' }, reason: oneOf(REPORT_REASONS) },
  },
  StoredReport: record({ id: text }),
  SellersJson: record({
    version: { const: '1.0' },
    sellers: listOf(record({ seller_id: text, name: text, domain: text, seller_type: oneOf(['PUBLISHER', 'INTERMEDIARY']) })),
  }),
  Health: record({ status: { const: 'ok' } }),
  Build: record({ version: text, node: text }, { properties: { version: text, commit: text, node: text } }),
  Readiness: record(
    { status: { enum: ['ok', 'degraded'] } },
    { properties: { status: { enum: ['ok', 'degraded'] }, redis: { const: 'unavailable' }, catalog: { const: 'not updated' } } },
  ),
  BidRequest: { type: 'object', description: 'Any OpenRTB bid request' },
  BidResponse: { type: 'object', description: 'An OpenRTB bid response' },
  Problem: {
    type: 'object',
    description: 'RFC 9457',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
    properties: {
      type: text,
      title: text,
      status: integer,
      detail: text,
      instance: text,
      code: oneOf(Object.keys(PROBLEMS)),
      request_id: { ...text, description: 'Also in the header X-Request-Id, and in the log of the service' },
      errors: { ...listOf(record({ pointer: text, detail: text })), description: 'Every fault, with its JSON pointer into the body' },
      results: { ...listOf({ type: 'object' }), description: 'Of a bulk change: one for each operation' },
    },
  },
} satisfies Readonly<Record<string, Schema>>;
