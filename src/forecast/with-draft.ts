import { hash } from 'node:crypto';
import { IDS_A_BLOCK, type CatalogReading, type CatalogRow, type CatalogTable } from '../catalog/model/catalog-reading.ts';

/** What is not stored: rows that are new, or as they would be after a change. */
export interface Draft {
  /** The one that is asked about. */
  readonly lineItemId: number;
  readonly rows: Readonly<Partial<Record<CatalogTable, readonly CatalogRow[]>>>;
}

/** The id of a draft, and of its first creative: the last of all, in a block that no stored row is in. */
export const DRAFT_ID = 2_147_483_000;

/** A reading of the catalog that has the rows of the draft as if they were stored. */
export const withDraft = (reading: CatalogReading, draft: Draft | undefined): CatalogReading => {
  if (draft === undefined) return reading;
  const drafted = (table: CatalogTable): readonly CatalogRow[] => draft.rows[table] ?? [];
  const digest = digestOf(draft.rows);
  return {
    ...reading,
    digests: (table) => {
      const digests = new Map(reading.digests(table));
      for (const row of drafted(table)) digests.set(blockOf(row), `${digests.get(blockOf(row)) ?? ''} ${digest}`);
      return digests;
    },
    rows: async (table, number) => {
      const rows = drafted(table).filter((row) => blockOf(row) === number);
      if (rows.length === 0) return reading.rows(table, number);
      const drafts = new Map<unknown, CatalogRow>(rows.map((row) => [row['id'], { ...row, edition: digestOf(row) }]));
      const stored = (await reading.rows(table, number)).filter(({ id }) => !drafts.has(id));
      return [...stored, ...drafts.values()].sort((a, b) => Number(a['id']) - Number(b['id']));
    },
  };
};

const blockOf = (row: CatalogRow): number => Math.floor(Number(row['id']) / IDS_A_BLOCK);

/** 48 bits. */
const digestOf = (value: object): number => Number.parseInt(hash('sha256', JSON.stringify(value)).slice(0, 12), 16);
