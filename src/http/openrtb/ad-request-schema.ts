import { madeLater } from '../../base/made-later.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';

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

/** Pixels, as a number or as text: "30" is 30. */
const SIDE = { type: ['integer', 'string'], minimum: 1, maximum: 10_000, pattern: '^0{0,3}([1-9][0-9]{0,3}|10000)$' } as const;
const SIZE = { properties: { w: SIDE, h: SIDE } } as const;
const MAX_FORMATS = 20;
const MAX_PAGE_PLACEMENTS = 50;

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
          ...SIZE.properties,
          banner: { properties: { ...SIZE.properties, format: { maxItems: MAX_FORMATS, items: SIZE } } },
          ext: { properties: { kv: KEY_VALUES } },
        },
      },
    },
    user: { type: 'object', required: ['id'], properties: { id: ID } },
    device: { type: 'object', properties: { ua: { type: 'string' }, ip: { type: 'string' } } },
    ext: {
      type: 'object',
      required: ['publisher_id'],
      properties: {
        publisher_id: { type: 'integer' },
        kv: KEY_VALUES,
        page_view: ID,
        page_placements: { type: 'array', maxItems: MAX_PAGE_PLACEMENTS, items: ID },
      },
    },
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

const always =
  <T>(value: T): (() => T) =>
  () =>
    value;

const validatorsOf = (options: { readonly allErrors: boolean }) => {
  const ajv = schemaCompiler({ ...options, code: { optimize: true }, strictTypes: false });
  return {
    full: ajv.compile<WireAdRequest>(AD_REQUEST_SCHEMA),
    flat: ajv.compile<WireFlatAdRequest>(FLAT_AD_REQUEST_SCHEMA),
  };
};

/**
 * `first` stops at the first fault: with all of them, a body of 64 kB lists 21,000. `all` is for
 * staff.
 */
export const AD_REQUEST_VALIDATORS = {
  first: always(validatorsOf({ allErrors: false })),
  all: madeLater(() => validatorsOf({ allErrors: true })),
};

type WireSide = number | string;

export interface WireSize {
  readonly w?: WireSide;
  readonly h?: WireSide;
}

/** \`banner\` and \`ext\` may be anything but for the members that are read. */
export interface WireImp extends WireSize {
  readonly id: string;
  readonly tagid: string;
  readonly banner?: (WireSize & { readonly format?: unknown }) | null;
  readonly ext?: { readonly kv?: Readonly<Record<string, unknown>> } | null;
}

export interface WireAdRequest {
  readonly id: string;
  readonly imp: readonly WireImp[];
  /** Without an id, frequency caps cannot be counted: only in auctions. */
  readonly user: { readonly id?: string; readonly consent?: unknown; readonly ext?: unknown; readonly data?: unknown };
  /** What line items may target besides is read when one does (offered-by.ts); `sent`: of an auction, all of its device. */
  readonly device?: { readonly ua?: string; readonly ip?: string; readonly lmt?: unknown; readonly sent?: unknown };
  readonly site?: { readonly page?: unknown; readonly ref?: unknown };
  readonly regs?: unknown;
  readonly ext: {
    readonly publisher_id: number;
    readonly kv?: Readonly<Record<string, unknown>>;
    readonly page_view?: string;
    readonly page_placements?: readonly string[];
  };
}

export interface WireFlatAdRequest {
  readonly publisher_id: number;
  readonly placement_id: string;
  readonly user_id: string;
  readonly kv?: Readonly<Record<string, unknown>>;
}
