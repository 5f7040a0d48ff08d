import { archived, id, name, orNull, url } from './schema-parts.ts';

const hosts = (maxItems: number, description: string) => ({
  type: 'array',
  items: { type: 'string', format: 'host', maxLength: 253 },
  maxItems,
  uniqueItems: true,
  default: [],
  description,
});

/** OpenRTB's block lists, as a record has them. */
export const BLOCK_LISTS = {
  badv: hosts(1_000, 'blocked advertisers: domains, with their subdomains'),
  bcat: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 32 },
    maxItems: 500,
    uniqueItems: true,
    default: [],
    description: 'blocked categories, in the taxonomy cattax',
  },
  cattax: {
    type: 'integer',
    minimum: 1,
    maximum: 999,
    default: 1,
    description: 'the taxonomy of the categories, in OpenRTB’s list: 1 is IAB Content Category 1.0, 7 is IAB Content Taxonomy 3.0',
  },
  battr: {
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 999 },
    maxItems: 100,
    uniqueItems: true,
    default: [],
    description: 'blocked creative attributes, in OpenRTB’s list',
  },
};

export const bidderSchema = {
  type: 'object',
  required: ['name', 'endpoint'],
  additionalProperties: false,
  properties: {
    id,
    name,
    endpoint: { ...url, description: 'receives OpenRTB 2.6 bid requests' },
    headers: {
      type: 'object',
      maxProperties: 20,
      propertyNames: { format: 'header-name', maxLength: 128 },
      additionalProperties: { type: 'string', format: 'header-value', minLength: 1, maxLength: 4096 },
      default: {},
      description:
        'request headers, such as a key. The values are stored encrypted and never shown again: an answer has a mark for each, and a mark that is sent back keeps the value',
    },
    params: {
      type: 'object',
      default: {},
      description: 'becomes imp.ext of each impression; ${PLACEMENT_ID} and ${PUBLISHER_ID} in texts are replaced',
    },
    gzip: { type: 'boolean', default: false, description: 'compress requests; answers may always be compressed' },
    gvl_id: {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 65_535,
      default: null,
      description: 'its id on the IAB Global Vendor List; without one it receives no personal data where the TCF applies',
    },
    seats: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 128 },
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'buyer seats whose bids are accepted; empty: all',
    },
    currency: { type: 'string', format: 'currency', default: 'USD', description: 'of floors and bids; needs a rate in CURRENCY_RATES' },
    bid_adjustment: {
      type: 'number',
      minimum: 0.01,
      maximum: 10,
      default: 1,
      description: 'a factor: what a bid counts and earns, such as 0.85 where the bidder keeps 15 percent',
    },
    timeout_share: {
      type: 'number',
      minimum: 0.05,
      maximum: 1,
      default: 1,
      description: 'the part of the time for bidders that this one may use',
    },
    notice_hosts: hosts(20, 'hosts, with their subdomains, to which its notices may go, besides the endpoint’s own host'),
    schain_asi: {
      type: ['string', 'null'],
      format: 'host',
      maxLength: 253,
      default: null,
      description: 'the node of this service in source.schain, where it is paid for what the bidder buys: its domain …',
    },
    schain_sid: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 64,
      default: null,
      description: '… and the id of the seller there, in which ${PUBLISHER_ID} is replaced',
    },
    schain_name: { ...orNull(name), default: null, description: 'the company that is paid there, unless it is the publisher' },
    schain_domain: {
      type: ['string', 'null'],
      format: 'host',
      maxLength: 253,
      default: null,
      description: '… and its domain',
    },
    ads_txt: {
      type: 'array',
      items: { type: 'string', format: 'ads-txt-record', maxLength: 512 },
      maxItems: 500,
      uniqueItems: true,
      default: [],
      description: 'records of ads.txt that the bidder asks publishers for, such as those of the exchanges behind a Prebid Server',
    },
    ...BLOCK_LISTS,
    archived,
  },
};
