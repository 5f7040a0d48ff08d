import {
  BUDGET_TYPES,
  CAPS_WITHOUT_USER_ID,
  CONSENT_WHEN_SILENT,
  CREATIVE_APPROVALS,
  CREATIVE_FORMATS,
  DEVICES,
  LINE_ITEM_TYPES,
  PACINGS,
} from '../model/entities.ts';
import { ROTATIONS } from '../model/rotations.ts';
import { BLOCK_LISTS } from './bidder-schema.ts';
import {
  BLOCKED_ADVERTISERS,
  id,
  name,
  pixels,
  usd,
  flightDate,
  url,
  targetedValues,
  floor,
  goal,
  archived,
  orNull,
} from './schema-parts.ts';

/**
 * JSON Schemas (2020-12) of the trafficking API's records: one source for the API, the catalog load
 * and the API page. Rules that need two fields or another record are in the check files beside this
 * one. `flight-date`, `http-url`, `host`, `origin`, `country`, `iab-category`, `currency`,
 * `header-name`, `header-value`, `ads-txt-record` and `time-zone` are formats of our own, given to
 * ajv in check-record.ts.
 */
export const publisherSchema = {
  type: 'object',
  required: ['name', 'domain'],
  additionalProperties: false,
  properties: {
    id,
    name,
    domain: { type: 'string', minLength: 1, maxLength: 253 },
    origins: {
      type: 'array',
      items: { type: 'string', format: 'origin', maxLength: 300 },
      maxItems: 50,
      default: [],
      description:
        'web origins whose pages may request ads (https://news.example; https://*.news.example: its subdomains); empty: any. Requests without an Origin header are not affected',
    },
    consent_when_silent: {
      type: 'string',
      enum: CONSENT_WHEN_SILENT,
      default: 'by_country',
      description: 'what a request without consent signals means; by_country: a refusal in the EEA, the United Kingdom and Switzerland',
    },
    us_opt_out_ends_frequency_caps: {
      type: 'boolean',
      default: false,
      description: 'an opt-out under a US law forbids sharing with bidders; true: it ends frequency capping by user id too',
    },
    frequency_caps_without_user_id: {
      type: 'string',
      enum: CAPS_WITHOUT_USER_ID,
      default: 'contextual',
      description:
        'when the user id may not be used; contextual: line items with a frequency cap do not serve; session: each replica counts in memory, and stores nothing',
    },
    ...BLOCK_LISTS,
    acat: { ...BLOCK_LISTS.bcat, description: 'the only categories that are accepted, in the taxonomy cattax; empty: all' },
    ...BLOCKED_ADVERTISERS,
    creative_approval: {
      type: 'string',
      enum: CREATIVE_APPROVALS,
      default: 'automatic',
      description: 'required: a creative that is new, or shows something else than before, is pending until it is approved',
    },
    time_zone: {
      type: 'string',
      format: 'time-zone',
      maxLength: 64,
      default: 'UTC',
      description: 'IANA name, such as Europe/Berlin: the days and hours of reports; a change applies to what is counted from then on',
    },
    currency: {
      type: 'string',
      format: 'currency',
      maxLength: 3,
      default: 'USD',
      description: 'ISO 4217, such as EUR: the currency of statements; prices, budgets and reports are in USD',
    },
    archived,
  },
};

export const placementSchema = {
  type: 'object',
  required: ['id', 'width', 'height', 'formats'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 128 },
    publisher_id: { ...orNull(id), default: null, description: 'null: open to every publisher' },
    width: pixels,
    height: pixels,
    formats: { type: 'array', items: { type: 'string', enum: CREATIVE_FORMATS }, minItems: 1, uniqueItems: true },
    floor: { ...floor, description: 'USD per thousand impressions: the lowest bid of a bidder; null: any' },
    ...BLOCKED_ADVERTISERS,
    archived,
  },
};

const flight = { start_date: flightDate, end_date: flightDate };

export const campaignSchema = {
  type: 'object',
  required: ['publisher_id', 'name', 'start_date', 'end_date'],
  additionalProperties: false,
  properties: {
    id,
    publisher_id: id,
    advertiser_id: { ...orNull(id), default: null, description: 'who pays; null: not known' },
    name,
    active: { type: 'boolean', default: true, description: 'false: none of its line items serves' },
    ...flight,
    budget: { ...orNull(usd), default: null, description: 'USD; bounds the sum of its line items; null: no bound' },
    archived,
  },
};

export const lineItemSchema = {
  type: 'object',
  required: ['campaign_id', 'active', 'start_date', 'end_date'],
  additionalProperties: false,
  properties: {
    id,
    campaign_id: id,
    name: { type: 'string', maxLength: 256, default: '' },
    type: { type: 'string', enum: LINE_ITEM_TYPES, default: 'direct' },
    active: { type: 'boolean' },
    ...flight,
    budget_type: { type: 'string', enum: BUDGET_TYPES, default: 'CPM', description: 'CPM for a programmatic line item' },
    cpm: {
      ...orNull({ ...usd, maximum: 100_000 }),
      default: null,
      description:
        'USD per thousand impressions, with VCPM per thousand viewable ones, at most 3 decimals; with Flat, the value to rank by',
    },
    cpc: { ...orNull({ ...usd, maximum: 100_000 }), default: null, description: 'USD per click' },
    budget: { ...orNull(usd), default: null, description: 'USD over the whole flight; with Flat, the fee' },
    priority: { type: ['integer', 'null'], enum: [1, 2, 3, null], default: null, description: '1 first; null counts as 2' },
    rotation: {
      type: 'string',
      enum: ROTATIONS,
      default: 'weighted',
      description:
        'how its creatives share its impressions; weighted: by their weights; optimised: by the chance of each to have the highest click-through rate, learned at each catalog load',
    },
    pacing: { type: 'string', enum: PACINGS, default: 'ASAP' },
    daily_impression_cap: { type: ['integer', 'null'], minimum: 0, maximum: 1_000_000_000, default: null },
    daily_spend_cap: { ...orNull(usd), default: null, description: 'USD' },
    goal_impressions: {
      ...goal,
      description: 'impressions over the whole flight: Even and PID spread what is left over the rest of it, and the line item stops there',
    },
    goal_clicks: {
      ...goal,
      description: 'clicks over the whole flight, spread by the expected click-through rate; the line item stops there',
    },
    frontload: {
      type: 'integer',
      minimum: 0,
      maximum: 30,
      default: 0,
      description: 'percent by which Even and PID begin above the even rate of the flight; they end as far below it',
    },
    frequency_cap: { type: ['integer', 'null'], minimum: 1, maximum: 100, default: null, description: 'impressions per user and window' },
    frequency_window: { type: ['integer', 'null'], minimum: 1, maximum: 31_622_400, default: null, description: 'seconds; null: 86400' },
    rate_limit: { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 1_000_000, default: null, description: 'serves per second' },
    rate_burst: { type: ['number', 'null'], minimum: 1, maximum: 1_000_000, default: null },
    targeting: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        countries: { type: 'array', items: { type: 'string', format: 'country' }, maxItems: 300 },
        regions: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 64 },
          maxItems: 300,
          description: 'ISO 3166-2 codes such as US-CA, as the GEO_DATABASE of the service has them; without one no request has a region',
        },
        cities: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 128 },
          maxItems: 300,
          description: 'English names, as the GEO_DATABASE of the service has them; without one no request has a city',
        },
        devices: { type: 'array', items: { type: 'string', enum: DEVICES }, maxItems: 16 },
        dimensions: targetedValues,
        key_values: targetedValues,
      },
    },
    bidder_id: { ...orNull(id), default: null, description: 'the bidder of a programmatic line item' },
    endpoint: {
      ...orNull(url),
      default: null,
      description: 'in place of bidder_id: the OpenRTB endpoint of a bidder that needs nothing else than gvl_id and notice_hosts',
    },
    gvl_id: {
      ...orNull({ type: 'integer', minimum: 1, maximum: 65_535 }),
      default: null,
      description: "the bidder's id on the IAB Global Vendor List; without one it receives no personal data where the TCF applies",
    },
    notice_hosts: {
      type: 'array',
      items: { type: 'string', format: 'host', maxLength: 253 },
      maxItems: 20,
      uniqueItems: true,
      default: [],
      description: "hosts, with their subdomains, to which the bidder's notices may go, besides the endpoint's own host",
    },
    floor: {
      ...floor,
      description: 'USD per thousand impressions: the lowest bid for a programmatic line item; with deal_id, the floor of the deal',
    },
    value_cpm: {
      ...orNull({ ...usd, maximum: 100_000 }),
      default: null,
      description: 'USD per thousand impressions: the price of a direct line item in auctions; null: its eCPM. Bills nothing',
    },
    deal_id: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 128,
      default: null,
      description: 'named by its bids in auctions; of a programmatic line item, the deal that its bidder is offered',
    },
    archived,
  },
};
