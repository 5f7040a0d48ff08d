import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from './entity-kind.ts';
import type { Written } from './written.ts';

/** Records of a copy: their transaction holds the lock of the catalog for about four seconds. */
export const MAX_COPIED = 1_000;
const COPY = ' (copy)';
const MAX_NAME = 256;

interface DuplicateOptions {
  readonly knex: Knex;
  readonly create: (kind: EntityKind, input: EntityRecord, caller: Caller) => Promise<Written>;
}

/**
 * Copies a campaign with its line items and creatives, with their dates; what is archived stays
 * behind. The copy is paused as a whole, so that nothing serves before someone has looked at it. A
 * blocked creative is copied as rejected, and external keys stay with the original. Every record is created, checked and noted in the audit
 * trail like one that a client sends; the first that is refused is the outcome.
 */
export const duplicateCampaign = async (
  { knex, create: createOne }: DuplicateOptions,
  campaign: EntityRecord,
  caller: Caller,
): Promise<Written> => {
  const { line_items: lineItemKind, creatives: creativeKind, campaigns: campaignKind } = ENTITY_KINDS;
  const lineItems = await childrenOf(knex, lineItemKind, 'campaign_id', [Number(campaign['id'])]);
  const creatives = await childrenOf(
    knex,
    creativeKind,
    'line_item_id',
    lineItems.map(({ id }) => Number(id)),
  );
  const records = 1 + lineItems.length + creatives.length;
  if (records > MAX_COPIED) {
    const detail = `the campaign has ${records} records, and at most ${MAX_COPIED} are copied`;
    return { ok: false, refusal: 'invalid', faults: [{ pointer: '', detail }] };
  }
  /** A refusal names the record that cannot be copied: its pointers are not those of a body. */
  const create = async (kind: EntityKind, original: EntityRecord, changes: EntityRecord): Promise<Written> => {
    const written = await createOne(kind, { ...original, external_key: null, ...changes }, caller);
    if (written.ok) return written;
    const of = `${kind.words} ${String(original['id'])} cannot be copied:`;
    return {
      ...written,
      faults: written.faults.map(({ pointer, detail }) => ({ pointer: '', detail: `${of} ${pointer.slice(1)} ${detail}` })),
    };
  };
  const name = `${String(campaign['name']).slice(0, MAX_NAME - COPY.length)}${COPY}`;
  const copy = await create(campaignKind, campaign, { name, active: false, archived: false });
  if (!copy.ok) return copy;
  for (const lineItem of lineItems) {
    const item = await create(lineItemKind, lineItem, { campaign_id: copy.record['id'] });
    if (!item.ok) return item;
    for (const creative of creatives.filter(({ line_item_id }) => line_item_id === lineItem['id'])) {
      const state = creative['blocked_at'] === null ? {} : { status: 'rejected' };
      const copied = await create(creativeKind, creative, { ...state, line_item_id: item.record['id'] });
      if (!copied.ok) return copied;
    }
  }
  return copy;
};

const childrenOf = async (knex: Knex, kind: EntityKind, parent: string, ids: readonly number[]): Promise<readonly EntityRecord[]> => {
  const rows = await knex(kind.table)
    .where(parent, knex.raw('any(?::int[])', [ids as number[]]))
    .where({ archived: false })
    .orderBy('id')
    .select<CatalogRow[]>(ROWS[kind.table].columns);
  return rows.map(kind.toRecord);
};
