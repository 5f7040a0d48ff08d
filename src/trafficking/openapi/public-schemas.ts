import { isObject } from '../../base/narrow.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../http/openrtb/ad-request-schema.ts';
import { PROBLEMS } from '../../http/problems/problem.ts';
import { REPORT_REASONS } from '../../tracking/report-store.ts';
import { DEVICES } from '../../catalog/model/entities.ts';
import { integer, listOf, number, oneOf, record, ref, text, type Schema } from './schema.ts';

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

/** Ads and tracking, and the problems that every operation can return. */
export const PUBLIC_SCHEMAS = {
  AdRequest: embedded(AD_REQUEST_SCHEMA),
  FlatAdRequest: embedded(FLAT_AD_REQUEST_SCHEMA),
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
  Health: record({ status: { const: 'ok' } }),
  Build: record({ version: text, node: text }, { properties: { version: text, commit: text, node: text } }),
  Readiness: record(
    { status: { enum: ['ok', 'degraded'] } },
    { properties: { status: { enum: ['ok', 'degraded'] }, redis: { const: 'unavailable' } } },
  ),
  BidRequest: { type: 'object', description: 'Any OpenRTB bid request' },
  BidResponse: { type: 'object', description: 'An OpenRTB bid response' },
  Problem: {
    type: 'object',
    description: 'RFC 9457',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    properties: {
      type: text,
      title: text,
      status: integer,
      detail: text,
      instance: text,
      code: oneOf(Object.keys(PROBLEMS)),
      errors: { ...listOf(record({ pointer: text, detail: text })), description: 'Every fault, with its JSON pointer into the body' },
    },
  },
} satisfies Readonly<Record<string, Schema>>;
