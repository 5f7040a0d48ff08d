import type { Knex } from 'knex';
import type { Draft } from './with-draft.ts';

interface PlacedRow {
  readonly id?: unknown;
  readonly placement_ids?: unknown;
}

/**
 * The placements of a line item that one of its creatives follows: another one there has an effect. Empty: each creative names its own.
 * Rejects when Postgres is unavailable.
 */
export const readFollowed = async (knex: Knex, lineItemId: number, draft: Draft | undefined): Promise<readonly string[]> => {
  const drafted = (draft?.rows.line_items as readonly PlacedRow[] | undefined)?.find(({ id }) => id === lineItemId);
  const creatives = draft?.rows.creatives?.filter((row) => row['line_item_id'] === lineItemId) ?? [];
  // A stand-in of a draft runs where its line item does.
  if (drafted) return creatives.some((row) => row['follows_line_item'] !== false) ? placementsOf(drafted) : [];
  const stored = await knex('line_items')
    .where({ id: lineItemId })
    .whereExists(knex('creatives').where({ line_item_id: lineItemId, follows_line_item: true }))
    .first<PlacedRow | undefined>('placement_ids');
  return stored ? placementsOf(stored) : [];
};

const placementsOf = ({ placement_ids: ids }: PlacedRow): readonly string[] => (Array.isArray(ids) ? (ids as string[]) : []);
