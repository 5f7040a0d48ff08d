import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { RecordWriter } from '../bookings/catalog-writer.ts';
import { ENTITY_KINDS, type EntityRecord } from '../bookings/entity-kind.ts';
import type { Written } from '../bookings/written.ts';
import type { BoughtPackage, BuyOwner } from './media-buy.ts';

/** A creative that a buyer has sent. */
export interface BuyerCreative {
  /** In the words of the buyer. */
  readonly creative_id: string;
  readonly name: string;
  readonly format_id: string;
  /** Of a creative of the catalog. */
  readonly fields: EntityRecord;
}

export interface StoredCreative extends BuyerCreative {
  readonly created_at: Date;
  readonly updated_at: Date;
}

const keyOf = ({ publisherId, advertiserId }: BuyOwner) => ({ publisher_id: publisherId, advertiser_id: advertiserId });

/** Those with these ids; undefined: all, the oldest first. */
export const findCreatives = async (
  knex: Knex,
  owner: BuyOwner,
  ids: readonly string[] | undefined,
): Promise<readonly StoredCreative[]> => {
  const query = knex('buyer_creatives').where(keyOf(owner)).orderBy(['created_at', 'creative_id']);
  if (ids) void query.whereIn('creative_id', [...ids]);
  return (await query.select()) as readonly StoredCreative[];
};

/** Stores one, and says what became of it. */
export const putCreative = async (trx: Knex, owner: BuyOwner, creative: BuyerCreative): Promise<'created' | 'updated' | 'unchanged'> => {
  const [before] = await findCreatives(trx, owner, [creative.creative_id]);
  const { creative_id, name, format_id, fields } = creative;
  if (before && isDeepStrictEqual([before.name, before.format_id, before.fields], [name, format_id, fields])) return 'unchanged';
  const row = { name, format_id, fields: JSON.stringify(fields), updated_at: trx.fn.now() };
  await trx('buyer_creatives')
    .insert({ ...keyOf(owner), creative_id, ...row })
    .onConflict(['publisher_id', 'advertiser_id', 'creative_id'])
    .merge(row);
  return before ? 'updated' : 'created';
};

/** The external key of the copy that a package has of a creative. */
export const copyKey = (lineItemId: number, creativeId: string): string => `${lineItemId}:${creativeId}`;

interface Assigning {
  readonly owner: BuyOwner;
  readonly caller: Caller;
}

/**
 * Makes the creatives of a package's line item those that are assigned to it: as the buyer has sent them, and no others. Those
 * that it has not sent yet are left out.
 */
export const assignCreatives = async (
  records: RecordWriter,
  trx: Knex.Transaction,
  { line_item_id: lineItemId, creative_ids: ids }: Pick<BoughtPackage, 'line_item_id' | 'creative_ids'>,
  { owner, caller }: Assigning,
): Promise<readonly Written[]> => {
  const kind = ENTITY_KINDS.creatives;
  const wanted = await findCreatives(trx, owner, ids);
  const rows = await trx('creatives').where({ line_item_id: lineItemId }).whereNotNull('external_key').select();
  const copies = new Map(rows.map((row: { external_key: string }) => [row.external_key, kind.toRecord(row as never)]));
  const written: Written[] = [];
  for (const { creative_id: id, name, fields } of wanted) {
    const key = copyKey(lineItemId, id);
    const copy = copies.get(key);
    copies.delete(key);
    const asked = { name, ...fields };
    written.push(
      copy
        ? await records.merge({ kind, id: copy['id'] as number, caller }, { ...asked, archived: false })
        : await records.create(kind, { line_item_id: lineItemId, external_key: key, ...asked }, caller),
    );
  }
  for (const copy of copies.values())
    if (copy['archived'] !== true) written.push(await records.merge({ kind, id: copy['id'] as number, caller }, { archived: true }));
  return written;
};
