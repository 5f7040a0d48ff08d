import type { Fault } from '../base/fault.ts';
import type { EntityRecord } from './entity-kind.ts';

/**
 * The outcome of a write. The record is as the API returns it; a new API key is in it this once.
 * `warnings`: what was accepted, and is probably not meant.
 */
export type Written = { readonly ok: true; readonly record: EntityRecord; readonly warnings?: readonly Fault[] } | Refused;

/** What a write that was carried out answers. */
export const answerOfWrite = ({ record, warnings = [] }: Written & { readonly ok: true }): EntityRecord =>
  warnings.length === 0 ? record : { ...record, warnings };

/**
 * Why nothing was changed. conflict: the id is taken; stale: the record is not the one that
 * If-Match names; invalid and parent_fixed: see `faults`.
 */
export interface Refused {
  readonly ok: false;
  readonly refusal: 'not_found' | 'conflict' | 'stale' | 'invalid' | 'parent_fixed';
  readonly faults: readonly Fault[];
}
