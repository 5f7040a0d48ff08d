import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import { misfitWords, type OwnSize } from '../decision/ad-query.ts';
import type { ReferredPlacement } from './check-references.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from './entity-kind.ts';

/** The placements of a line item that a creative fits, or why there is none. */
export type Followed = { readonly ids: readonly string[] } | { readonly fault: string };

/** In the order of the line item. @param placements those of the line item */
const followedOf = (creative: EntityRecord, placements: readonly ReferredPlacement[]): Followed => {
  if (placements.length === 0) return { fault: 'is required: its line item names no placements' };
  const format = typeof creative['format'] === 'string' ? creative['format'].toLowerCase() : '';
  const taking = placements.filter(({ formats }) => (formats as readonly string[]).includes(format));
  if (taking.length === 0) return { fault: `none of the placements of its line item takes the format ${format}` };
  const size = sizeOf(creative);
  const ids = taking.filter((placement) => misfitWords(size, [placement]) === undefined).map(({ id }) => id);
  return ids.length > 0 ? { ids } : { fault: `${misfitWords(size, taking)}: add a placement of its size to the line item` };
};

const sizeOf = ({ width, height }: EntityRecord): OwnSize => ({
  width: typeof width === 'number' ? width : null,
  height: typeof height === 'number' ? height : null,
});

const placementsOf = async (trx: Knex.Transaction, ids: readonly string[]): Promise<readonly ReferredPlacement[]> => {
  const rows = await trx('placements').whereIn('id', ids).select<ReferredPlacement[]>('id', 'formats', 'width', 'height', 'video');
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
};

export interface Completed {
  readonly input: unknown;
  /** In place of those that the check has of its placements. */
  readonly faults: readonly Fault[];
}

/**
 * A creative as it is checked: one that follows its line item gets the placements that it fits there. It
 * follows when it says so, or is new and names none; one that names others than before stops following.
 */
export const withFollowed = async (trx: Knex.Transaction, input: unknown, before: EntityRecord | undefined): Promise<Completed> => {
  if (!isObject(input)) return { input, faults: [] };
  const named = namedIn(input);
  const follows = input['follows_line_item'] ?? (before ? false : named === undefined);
  const lineItemId = input['line_item_id'];
  if (follows !== true || !Number.isInteger(lineItemId)) return { input, faults: [] };
  if (before?.['follows_line_item'] === true && named !== undefined && !isSameSet(named, before['placement_ids'] as string[]))
    return { input: { ...input, follows_line_item: false }, faults: [] };
  const lineItem = await trx('line_items')
    .where({ id: lineItemId as number })
    .first<{ placement_ids: string[] } | undefined>('placement_ids');
  const followed = followedOf(input, await placementsOf(trx, lineItem?.placement_ids ?? []));
  if ('fault' in followed)
    return { input: { ...input, follows_line_item: true }, faults: [{ pointer: '/placement_ids', detail: followed.fault }] };
  return { input: { ...input, follows_line_item: true, placement_id: followed.ids[0], placement_ids: followed.ids }, faults: [] };
};

const namedIn = ({ placement_id: first, placement_ids: all }: EntityRecord): readonly unknown[] | undefined =>
  Array.isArray(all) ? all : first === undefined ? undefined : [first];

const isSameSet = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((one) => b.includes(one));

/**
 * Moves the creatives that follow a line item to its placements. Faults, and nothing is moved, when one of them fits none.
 *
 * @param row of the line item, as it will be stored
 */
export const moveFollowers = async (
  trx: Knex.Transaction,
  { table }: EntityKind,
  lineItemId: string | number,
  row: CatalogRow,
  move: (follower: EntityRecord, columns: object) => Promise<unknown>,
): Promise<readonly Fault[]> => {
  if (table !== 'line_items') return [];
  const rows = await trx('creatives')
    .where({ line_item_id: lineItemId, follows_line_item: true })
    .select<CatalogRow[]>(ROWS.creatives.columns);
  if (rows.length === 0) return [];
  const placements = await placementsOf(trx, row['placement_ids'] as readonly string[]);
  const moved: (readonly [EntityRecord, object])[] = [];
  const faults: Fault[] = [];
  for (const creative of rows.map(ENTITY_KINDS.creatives.toRecord)) {
    const followed = followedOf(creative, placements);
    if ('ids' in followed) {
      const [first = '', ...more] = followed.ids;
      if (!isSameSet(followed.ids, creative['placement_ids'] as string[]))
        moved.push([creative, { placement_id: first, more_placement_ids: more }]);
    } else if (creative['archived'] !== true) {
      const name = String(creative['name'] || creative['id']);
      faults.push({ pointer: '/placement_ids', detail: `would leave creative ${name} without a place: ${followed.fault}` });
    }
  }
  if (faults.length === 0) for (const [creative, columns] of moved) await move(creative, columns);
  return faults;
};
