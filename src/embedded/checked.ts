import type { Checked } from '../catalog/checks/shape-record.ts';

/** The record of demonstration data. @throws when the data is invalid */
export const checked = <T>(result: Checked<T>): T => {
  if (!result.ok) throw new Error(`the demonstration data is invalid: ${JSON.stringify(result.faults)}`);
  return result.record;
};
