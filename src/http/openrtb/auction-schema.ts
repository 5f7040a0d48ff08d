import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';
import { schemaFaults } from '../../base/schema-faults.ts';

const ID = { type: 'string', minLength: 1, maxLength: 256 } as const;

/**
 * What an OpenRTB 2.6 BidRequest must have (3.2.1, 3.2.4). Optional fields are not in it: one of
 * another type counts as absent.
 */
export const AUCTION_REQUEST_SCHEMA = {
  $id: 'AuctionRequest',
  type: 'object',
  required: ['id', 'imp'],
  properties: {
    id: ID,
    imp: { type: 'array', minItems: 1, maxItems: 20, items: { type: 'object', required: ['id'], properties: { id: ID } } },
  },
} as const;

export type Json = Readonly<Record<string, unknown>>;

/** A BidRequest of which only the required fields are known to be right. */
export interface WireAuction extends Json {
  readonly id: string;
  readonly imp: readonly (Json & { readonly id: string })[];
}

const validate = schemaCompiler({ code: { optimize: true } }).compile<WireAuction>(AUCTION_REQUEST_SCHEMA);

/** The body of an auction, or its first fault. */
export const parseAuction = (body: unknown): { readonly request: WireAuction } | { readonly faults: readonly Fault[] } => {
  if (!validate(body)) return { faults: schemaFaults(validate.errors) };
  const seen = new Set<string>();
  const repeated = body.imp.findIndex(({ id }) => seen.size === seen.add(id).size);
  return repeated < 0 ? { request: body } : { faults: [{ pointer: `/imp/${repeated}/id`, detail: 'must be unique within the request' }] };
};

/** The value at a path of objects; undefined when any of them is something else. */
export const at = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value;
  for (let i = 0; i < path.length && found !== undefined; i++) found = memberOf(found, path[i]!);
  return found;
};

const memberOf = (value: unknown, name: string): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);

/** The text at a path, of up to 256 characters; undefined for anything else and for ''. */
export const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' && found.length <= ID.maxLength ? found : undefined;
};

/** The list at a path, or an empty one. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
