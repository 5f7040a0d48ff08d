import { PARENTS } from '../bookings/forms/entity-fields.ts';
import type { Store } from '../api/store.ts';
import type { Kind, Records } from '../api/wire.ts';

/** An archived record. */
export interface Archived {
  readonly kind: Kind;
  readonly record: Records[Kind];
}

/**
 * Why a record is archived: itself, or a record that it belongs to, as the API rules. A creative
 * belongs to its line item; a placement of it may be archived without it. undefined: it is not.
 */
export const archivedBy = (store: Store, kind: Kind, record: Records[Kind]): Archived | undefined => {
  if (record.archived) return { kind, record };
  for (const { field, parent } of PARENTS[kind]) {
    if (parent === 'placements') continue;
    const owner = store.find(parent, (record as unknown as Readonly<Record<string, number | null>>)[field]);
    const found = owner && archivedBy(store, parent, owner);
    if (found) return found;
  }
  return undefined;
};
