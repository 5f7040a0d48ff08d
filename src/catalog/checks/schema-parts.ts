import { MAX_USD } from '../model/money.ts';

/** Parts of the schemas of several records. */
export const id = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };
export const name = { type: 'string', minLength: 1, maxLength: 256 };
export const pixels = { type: 'integer', minimum: 1, maximum: 32_767 };
export const usd = { type: 'number', minimum: 0, maximum: MAX_USD };
export const flightDate = {
  type: 'string',
  format: 'flight-date',
  description: 'RFC 3339 date or date-time; a bare end date includes that UTC day',
};
export const url = { type: 'string', format: 'http-url', maxLength: 2048 };
export const scalar = { type: ['string', 'number', 'boolean'], maxLength: 256 };
export const floor = { type: ['number', 'null'], minimum: 0, maximum: 1_000, default: null };
/** A number of events over the flight. */
export const goal = { type: ['integer', 'null'], minimum: 1, maximum: 100_000_000_000, default: null };
export const archived = { type: 'boolean', default: false, description: 'true: kept for reports, neither served nor listed' };
export const labels = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  maxItems: 50,
  uniqueItems: true,
  default: [],
};
export const MAX_BLOCKED_ADVERTISERS = 1_000;
/** Advertisers that a publisher or a placement does not show. */
export const BLOCKED_ADVERTISERS = {
  blocked_advertiser_ids: {
    type: 'array',
    items: id,
    maxItems: MAX_BLOCKED_ADVERTISERS,
    uniqueItems: true,
    default: [],
    description: 'advertisers whose line items, direct and programmatic, never serve here',
  },
  blocked_advertiser_labels: {
    ...labels,
    description: 'the same for advertisers with one of these labels, in any letter case',
  },
};
export const orNull = <T extends { readonly type: string }>(schema: T) => ({ ...schema, type: [schema.type, 'null'] });

export const targetedValues = {
  type: 'object',
  maxProperties: 50,
  propertyNames: { minLength: 1, maxLength: 128 },
  additionalProperties: {
    anyOf: [scalar, { type: 'array', items: scalar, maxItems: 1000 }],
  },
};
