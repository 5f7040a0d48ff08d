import type { Fault } from '../../base/fault.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import { checkDimensions } from '../../targeting/check-dimensions.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { AD_REQUEST_VALIDATORS, type WireAdRequest } from './ad-request-schema.ts';

export type ParsedAdRequest =
  { readonly ok: true; readonly request: WireAdRequest } | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Validates the body of an ad request; a flat body becomes a request with one impression.
 *
 * @param report anyone can send a body to POST /ad, so it reports the first fault only
 */
export const parseAdRequest = (body: unknown, report: keyof typeof AD_REQUEST_VALIDATORS = 'first'): ParsedAdRequest => {
  const { full, flat } = AD_REQUEST_VALIDATORS[report]();
  if (isFlat(body)) {
    if (!flat(body)) return { ok: false, faults: schemaFaults(flat.errors) };
    const { publisher_id, placement_id, user_id, kv } = body;
    const ext = kv === undefined ? { publisher_id } : { publisher_id, kv };
    return { ok: true, request: { id: placement_id, imp: [{ id: '1', tagid: placement_id }], user: { id: user_id }, ext } };
  }
  if (!full(body)) return { ok: false, faults: schemaFaults(full.errors) };
  const repeated = repeatedImpId(body);
  return repeated < 0
    ? { ok: true, request: body }
    : { ok: false, faults: [{ pointer: `/imp/${repeated}/id`, detail: 'must be unique within the request' }] };
};

/** Values of registered dimensions outside their schema, in the key-values of the request and of each impression. */
export const keyValueFaults = (dimensions: DimensionSchema, { ext, imp }: WireAdRequest): readonly Fault[] => {
  const faults = [...checkDimensions(dimensions, ext.kv ?? {}, { pointer: '/ext/kv', unregistered: 'allowed' })];
  imp.forEach(({ ext: own }, i) => {
    if (own?.kv) faults.push(...checkDimensions(dimensions, own.kv, { pointer: `/imp/${i}/ext/kv`, unregistered: 'allowed' }));
  });
  return faults;
};

const isFlat = (body: unknown): boolean => typeof body === 'object' && body !== null && !('imp' in body) && 'placement_id' in body;

const repeatedImpId = ({ imp }: WireAdRequest): number => {
  if (imp.length === 1) return -1;
  const seen = new Set<string>();
  return imp.findIndex(({ id }) => seen.size === seen.add(id).size);
};
