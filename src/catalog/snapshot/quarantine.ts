import type { CatalogTable } from '../model/catalog-reading.ts';
import type { Quarantined } from './snapshot.ts';

const MAX_LISTED = 1000;

/** The rows that one load sets aside. */
export const createQuarantine = () => {
  const listed: Quarantined[] = [];
  const setAside = new Set<string>();
  let count = 0;
  return {
    add: (table: CatalogTable, id: unknown, reason: string): void => {
      count++;
      setAside.add(`${table} ${String(id)}`);
      if (listed.length < MAX_LISTED) listed.push({ table, id: String(id), reason });
    },
    /** Why a row cannot be admitted whose parent is not. */
    parentReason: (table: CatalogTable, id: number | string): string =>
      setAside.has(`${table} ${id}`) ? `belongs to ${table} ${id}, which is set aside` : `refers to ${table} ${id}, which does not exist`,
    result: () => ({ quarantined: listed, quarantinedCount: count }),
  };
};

export type Quarantine = ReturnType<typeof createQuarantine>;
