import { CATALOG_TABLES, type CatalogRow, type CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { readingOf, snapshotOf } from '../../testkit/catalog-reading.ts';
import type { RowEdit, World } from './story.ts';

/** The catalog's tables in memory. They become snapshots as rows of Postgres do: checked, and set aside when invalid. */
export interface CatalogRows {
  apply(edit: RowEdit): void;
  snapshot(nowMs: number): Promise<Snapshot>;
  /** The rows of which the next snapshot is made, but for those that are deleted or set aside. */
  booked(): BookedRows;
}

/** Rows by table and id. */
export type BookedRows = ReadonlyMap<CatalogTable, ReadonlyMap<unknown, CatalogRow>>;

interface StoredRow {
  row: CatalogRow;
  gone: boolean;
  broken: boolean;
}

/** A column that the checks of a table refuse. */
const BREAKAGE: Partial<Readonly<Record<CatalogTable, CatalogRow>>> = {
  campaigns: { budget_micros: 'a lot' },
  line_items: { priority: 9 },
  creatives: { format: 'hologram' },
  placements: { width: -1 },
  publishers: { name: '' },
};

export const createCatalogRows = (world: World): CatalogRows => {
  const tables = new Map(
    CATALOG_TABLES.map((table) => [
      table,
      new Map(world.rows[table].map((row): [unknown, StoredRow] => [row['id'], { row, gone: false, broken: false }])),
    ]),
  );
  let version = 0;
  return {
    apply: ({ table, id, patch, gone, broken }) => {
      const stored = tables.get(table)?.get(id);
      if (!stored) return;
      version++;
      stored.row = { ...stored.row, ...patch };
      stored.gone = gone ?? stored.gone;
      stored.broken = broken ?? stored.broken;
    },
    booked: () =>
      new Map(
        [...tables].map(([table, rows]) => [
          table,
          new Map([...rows].flatMap(([id, { row, gone, broken }]) => (gone || broken ? [] : [[id, row] as const]))),
        ]),
      ),
    snapshot: async (nowMs) => {
      const rowsOf = (table: CatalogTable): CatalogRow[] =>
        [...(tables.get(table)?.values() ?? [])]
          .filter(({ gone }) => !gone)
          .map(({ row, broken }) => (broken ? { ...row, ...BREAKAGE[table] } : row));
      return snapshotOf(readingOf({ version, rows: rowsOf }), { nowMs });
    },
  };
};
