import type { Checked } from '../catalog/checks/shape-record.ts';
import type { RowMapping } from '../catalog/postgres/rows.ts';

/** The row of a record of demonstration data. @throws when the data is invalid */
export const rowOf = <R>({ toRow }: RowMapping<R>, checked: Checked<R>) => {
  if (!checked.ok) throw new Error(`the demonstration data is invalid: ${JSON.stringify(checked.faults)}`);
  return toRow(checked.record);
};
