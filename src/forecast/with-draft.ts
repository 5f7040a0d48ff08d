import { IDS_A_BLOCK, type CatalogReading, type CatalogRow, type CatalogTable } from '../catalog/model/catalog-reading.ts';

/** A line item that is not stored, with creatives for the placements that it is asked about. */
export interface Draft {
  readonly lineItem: CatalogRow;
  readonly creatives: readonly CatalogRow[];
}

/** The id of a draft, and of its first creative: the last of all, in a block of its own. */
export const DRAFT_ID = 2_147_483_000;

/** A reading of the catalog that has the draft as if it were stored. */
export const withDraft = (reading: CatalogReading, draft: Draft | undefined): CatalogReading => {
  if (draft === undefined) return reading;
  const rows: Partial<Record<CatalogTable, readonly CatalogRow[]>> = { line_items: [draft.lineItem], creatives: draft.creatives };
  const block = Math.floor(DRAFT_ID / IDS_A_BLOCK);
  const digest = JSON.stringify(draft);
  return {
    ...reading,
    digests: async (table) => {
      const digests = await reading.digests(table);
      return rows[table] ? new Map([...digests, [block, digest]]) : digests;
    },
    rows: async (table, number) => (rows[table] && number === block ? rows[table].map((row) => ({ ...row, edition: 1 })) : reading.rows(table, number)),
  };
};
