import type { Caller } from '../access/caller.ts';
import type { Fault } from '../base/fault.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

export interface WriteTarget {
  readonly kind: EntityKind;
  readonly id: string | number;
  readonly caller: Caller;
  /** An If-Match header: the change is refused when the record has another tag. */
  readonly ifMatch?: string | undefined;
}

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
 * If-Match names; invalid, parent_fixed, in_use (by others) and in_the_way (of a restored record): see `faults`; not_deleted: there is nothing to
 * restore; counters_away: the counts of what would be restored cannot be read; forbidden: the caller may not do it;
 * approval_required: a second person must approve it, see `faults`.
 */
export interface Refused {
  readonly ok: false;
  readonly refusal:
    | 'not_found'
    | 'conflict'
    | 'stale'
    | 'invalid'
    | 'parent_fixed'
    | 'in_the_way'
    | 'in_use'
    | 'not_deleted'
    | 'counters_away'
    | 'forbidden'
    | 'approval_required';
  readonly faults: readonly Fault[];
}

export const refused = (refusal: Refused['refusal'], faults: readonly Fault[] = []): Refused => ({ ok: false, refusal, faults });
