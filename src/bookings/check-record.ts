import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { isObject } from '../base/narrow.ts';
import type { Fault } from '../base/fault.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { completeMedia } from '../uploads/complete-media.ts';
import { allocationWarnings } from './allocation-warnings.ts';
import { checkReferences } from './check-references.ts';
import { takenKey } from './external-key.ts';
import { takenZone } from './taken-zone.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';
import { withFollowed } from './followed-placements.ts';
import { findInCreative, type LookedAt } from './find-in-creative.ts';
import { sealMembers } from './seal-members.ts';
import { limitWarnings } from './limit-warnings.ts';
import { shareWarnings } from './share-warnings.ts';
import { writeWarnings } from './write-warnings.ts';
import { refused, type Refused } from './written.ts';

/** A record that may be stored. */
export interface Checked {
  readonly ok: true;
  readonly row: CatalogRow;
  readonly warnings: readonly Fault[];
}

/** Checks a record against its schema, its rules and its references, and collects every fault. */
export const createCheckRecord =
  ({ dimensions, secretBox }: { readonly dimensions: DimensionSchema; readonly secretBox: SecretBox }) =>
  async (trx: Knex.Transaction, kind: EntityKind, given: unknown, by: Caller, before?: EntityRecord): Promise<Checked | Refused> => {
    const isCreative = kind.table === 'creatives' && isObject(given);
    const { input, faults: unplaced } = isCreative
      ? await withFollowed(trx, await completeMedia(trx, given), before)
      : { input: given, faults: [] };
    const { faults, placements } = isObject(input) ? await checkReferences(trx, kind, input, by, before) : { faults: [], placements: [] };
    const checked = kind.check(input, { dimensions, placements });
    const record = checked.ok ? (checked.record as EntityRecord) : undefined;
    const taken = record ? [...(await takenKey(trx, kind, record, before)), ...(await takenZone(trx, kind, record, before))] : [];
    const ofRecord = checked.ok ? [] : checked.faults.filter(({ pointer }) => !unplaced.some((one) => one.pointer === pointer));
    const all = [...ofRecord, ...unplaced, ...faults, ...taken];
    if (!checked.ok || all.length > 0) return refused('invalid', all);
    const row = kind.toRow(checked.record as never);
    const warnings = [
      ...writeWarnings(kind, checked.record, placements),
      ...(kind.table === 'creatives' ? await findInCreative(trx, checked.record as LookedAt) : []),
      ...limitWarnings(kind, checked.record),
      ...(await shareWarnings(trx, kind, checked.record, before?.['id'])),
      ...(await allocationWarnings(trx, kind, checked.record)),
    ];
    if (kind.sealed === undefined) return { ok: true, row, warnings };
    const stored =
      before &&
      (await trx(kind.table)
        .where({ id: before['id'] as string | number })
        .first<CatalogRow | undefined>());
    const { column } = kind.sealed;
    const members = (checked.record as Readonly<Record<string, Readonly<Record<string, string>>>>)[column] ?? {};
    const sealed = sealMembers(secretBox, kind.sealed, members, row, stored);
    return sealed.ok
      ? { ok: true, row: { ...row, [column]: JSON.stringify(sealed.members) }, warnings }
      : refused('invalid', sealed.faults);
  };
