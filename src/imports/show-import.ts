import type { Plan } from '../declarations/apply-declaration.ts';
import { MAX_CHANGES_SHOWN, MAX_NOTES_SHOWN, type ImportWire, type PlanWire } from './import-api.ts';
import type { ImportRow } from './import-store.ts';

/** What of a plan is kept. */
export const planOf = ({ changes, unchanged }: Plan): PlanWire => ({
  create: changes.filter(({ action }) => action === 'create').length,
  update: changes.filter(({ action }) => action === 'update').length,
  unchanged,
  changes: changes.slice(0, MAX_CHANGES_SHOWN),
});

/** With the key of a publisher that it has made. */
export type AppliedImport = ImportRow & { readonly apiKey?: string };

/** @param notesTotal where the row has a part of them */
export const shownImport = (row: AppliedImport, notesTotal = row.notes.length): ImportWire => {
  const { id, source, source_words, file_name, file_bytes, publisher_id, counts, history_days, plan, notes, apiKey } = row;
  return {
    ...{ id, source, source_words, file_name, file_bytes, publisher_id, records: counts, history_days, plan },
    ...{ notes: notes.slice(0, MAX_NOTES_SHOWN), notes_total: notesTotal },
    ...{ created_at: row.created_at.toISOString(), created_by: row.created_by },
    ...{ applied_at: row.applied_at?.toISOString() ?? null, applied_by: row.applied_by },
    ...(apiKey !== undefined && { api_key: apiKey }),
  };
};
