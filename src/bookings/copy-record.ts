import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from './entity-kind.ts';
import type { Written } from './written.ts';

export interface CopyOptions {
  readonly knex: Knex;
  readonly create: (kind: EntityKind, input: EntityRecord, caller: Caller) => Promise<Written>;
}

const MAX_NAME = 256;
export const nameOfCopy = (name: unknown, suffix: string): string => `${String(name).slice(0, MAX_NAME - suffix.length)}${suffix}`;

export type CopyRecord = (kind: EntityKind, original: EntityRecord, changes: EntityRecord) => Promise<Written>;

/**
 * Creates copies of records, without their external keys; each is checked and noted in the audit trail like one that a
 * client sends. A refusal names the record that cannot be copied: its pointers are not those of a body.
 */
export const createCopyRecord =
  ({ create }: Pick<CopyOptions, 'create'>, caller: Caller): CopyRecord =>
  async (kind, original, changes) => {
    const written = await create(kind, { ...original, external_key: null, ...changes }, caller);
    if (written.ok) return written;
    const of = `${kind.words} ${String(original['id'])} cannot be copied:`;
    return {
      ...written,
      faults: written.faults.map(({ pointer, detail }) => ({ pointer: '', detail: `${of} ${pointer.slice(1)} ${detail}` })),
    };
  };

/** To another line item. The copy of a blocked creative is rejected. */
export const copyCreative = (copy: CopyRecord, creative: EntityRecord, lineItemId: unknown): Promise<Written> => {
  const state = creative['blocked_at'] === null ? {} : { status: 'rejected' };
  return copy(ENTITY_KINDS.creatives, creative, { ...state, line_item_id: lineItemId });
};

/** The records of a kind that are not archived, of these parents. */
export const childrenOf = async (
  knex: Knex,
  kind: EntityKind,
  parent: string,
  ids: readonly number[],
): Promise<readonly EntityRecord[]> => {
  const rows = await knex(kind.table)
    .where(parent, knex.raw('any(?::int[])', [ids as number[]]))
    .where({ archived: false })
    .orderBy('id')
    .select<CatalogRow[]>(ROWS[kind.table].columns);
  return rows.map(kind.toRecord);
};
