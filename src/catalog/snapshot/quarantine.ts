import type { CatalogTable } from '../model/catalog-reading.ts';
import type { Quarantined } from './snapshot.ts';

/** The rows that one load sets aside. */
export interface Quarantine {
  add(table: CatalogTable, id: unknown, reason: string): void;
  /** Why a row cannot be admitted whose parent is not. */
  parentReason(table: CatalogTable, id: number | string): string;
  result(): { readonly quarantined: readonly Quarantined[]; readonly quarantinedCount: number };
}

const MAX_LISTED = 1000;

export const createQuarantine = (): Quarantine => {
  const listed: Quarantined[] = [];
  const setAside = new Set<string>();
  let count = 0;
  return {
    add: (table, id, reason) => {
      count++;
      setAside.add(`${table} ${String(id)}`);
      if (listed.length < MAX_LISTED) listed.push({ table, id: String(id), reason });
    },
    parentReason: (table, id) =>
      setAside.has(`${table} ${id}`) ? `belongs to ${table} ${id}, which is set aside` : `refers to ${table} ${id}, which does not exist`,
    result: () => ({ quarantined: listed, quarantinedCount: count }),
  };
};
