import type { ErrorObject } from 'ajv';
import type { Fault } from '../../base/fault.ts';
import { validateAdRequest, validateFlatAdRequest, type WireAdRequest } from './ad-request-schema.ts';

export type ParsedAdRequest =
  { readonly ok: true; readonly request: WireAdRequest } | { readonly ok: false; readonly faults: readonly Fault[] };

/** The body of POST /ad, checked; a flat body becomes a request with one impression. Every fault is listed. */
export const parseAdRequest = (body: unknown): ParsedAdRequest => {
  if (isFlat(body)) {
    if (!validateFlatAdRequest(body)) return { ok: false, faults: faultsOf(validateFlatAdRequest.errors) };
    const { publisher_id, placement_id, user_id, kv } = body;
    const ext = kv === undefined ? { publisher_id } : { publisher_id, kv };
    return { ok: true, request: { id: placement_id, imp: [{ id: '1', tagid: placement_id }], user: { id: user_id }, ext } };
  }
  if (!validateAdRequest(body)) return { ok: false, faults: faultsOf(validateAdRequest.errors) };
  const repeated = repeatedImpId(body);
  return repeated < 0
    ? { ok: true, request: body }
    : { ok: false, faults: [{ pointer: `/imp/${repeated}/id`, detail: 'must be unique within the request' }] };
};

const isFlat = (body: unknown): boolean => typeof body === 'object' && body !== null && !('imp' in body) && 'placement_id' in body;

const repeatedImpId = ({ imp }: WireAdRequest): number => {
  if (imp.length === 1) return -1;
  const seen = new Set<string>();
  return imp.findIndex(({ id }) => seen.size === seen.add(id).size);
};

/** ajv's errors as pointers and sentences. A missing property is reported where it should stand. */
export const faultsOf = (errors: readonly ErrorObject[] | null | undefined): readonly Fault[] => {
  const faults = (errors ?? [])
    .filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if')
    .map(({ instancePath, keyword, params, message }): Fault => {
      const property = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
      return { pointer: instancePath + property, detail: keyword === 'required' ? 'is required' : (message ?? 'is not valid') };
    });
  return faults.filter(({ pointer, detail }, i) => faults.findIndex((other) => other.pointer === pointer && other.detail === detail) === i);
};
