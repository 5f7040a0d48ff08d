import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * The simplified OpenRTB ad request. OpenRTB fields that this service does not use are ignored,
 * never refused. Everything that is read has a maximum size, which limits the cost of a request.
 */
const ID = { type: 'string', minLength: 1, maxLength: 128 } as const;
const KEY_VALUE = {
  anyOf: [
    { type: 'string', maxLength: 256 },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    { type: 'array', maxItems: 50, items: { anyOf: [{ type: 'string', maxLength: 256 }, { type: 'number' }, { type: 'boolean' }] } },
  ],
} as const;
const KEY_VALUES = { type: 'object', maxProperties: 50, propertyNames: { maxLength: 256 }, additionalProperties: KEY_VALUE } as const;

export const AD_REQUEST_SCHEMA = {
  $id: 'AdRequest',
  type: 'object',
  required: ['id', 'imp', 'user', 'ext'],
  properties: {
    id: ID,
    imp: {
      type: 'array',
      minItems: 1,
      maxItems: 20,
      items: {
        type: 'object',
        required: ['id', 'tagid'],
        properties: {
          id: ID,
          tagid: ID,
          w: { type: 'integer', minimum: 1, maximum: 10000 },
          h: { type: 'integer', minimum: 1, maximum: 10000 },
        },
      },
    },
    user: { type: 'object', required: ['id'], properties: { id: ID } },
    device: { type: 'object', properties: { ua: { type: 'string' }, ip: { type: 'string' } } },
    ext: { type: 'object', required: ['publisher_id'], properties: { publisher_id: { type: 'integer' }, kv: KEY_VALUES } },
  },
} as const;

/**
 * The flat form that the trafficking tool's example sends: one impression, without OpenRTB's
 * nesting.
 */
export const FLAT_AD_REQUEST_SCHEMA = {
  $id: 'FlatAdRequest',
  type: 'object',
  required: ['publisher_id', 'placement_id', 'user_id'],
  properties: { publisher_id: { type: 'integer' }, placement_id: ID, user_id: ID, kv: KEY_VALUES },
} as const;

const validatorsOf = (options: { readonly allErrors: boolean }) => {
  const ajv = new Ajv2020({ ...options, strictTypes: false });
  return {
    full: ajv.compile<WireAdRequest>(AD_REQUEST_SCHEMA),
    flat: ajv.compile<WireFlatAdRequest>(FLAT_AD_REQUEST_SCHEMA),
  };
};

/**
 * `first` stops at the first fault: with all of them, a body of 64 kB lists 21,000. `all` is for
 * staff.
 */
export const AD_REQUEST_VALIDATORS = { first: validatorsOf({ allErrors: false }), all: validatorsOf({ allErrors: true }) };

export interface WireAdRequest {
  readonly id: string;
  readonly imp: readonly { readonly id: string; readonly tagid: string; readonly w?: number; readonly h?: number }[];
  readonly user: { readonly id: string; readonly consent?: unknown; readonly ext?: unknown };
  readonly device?: { readonly ua?: string; readonly ip?: string };
  readonly site?: { readonly page?: unknown };
  readonly regs?: unknown;
  readonly ext: { readonly publisher_id: number; readonly kv?: Readonly<Record<string, unknown>> };
}

export interface WireFlatAdRequest {
  readonly publisher_id: number;
  readonly placement_id: string;
  readonly user_id: string;
  readonly kv?: Readonly<Record<string, unknown>>;
}
