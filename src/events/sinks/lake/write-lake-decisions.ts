import { randomUUID } from 'node:crypto';
import { groupBy } from '../../../base/group-by.ts';
import { DECISION_FILE_COLUMNS, type DecisionRow } from '../../decisions/decision-columns.ts';
import { createParquetFile } from '../../export/parquet-file.ts';
import type { LakeStore } from './lake-store.ts';

const DECISIONS_FOLDER = 'decisions';

/** A file for each UTC hour. They have no manifest: a file appears whole, and is written once. */
export const writeLakeDecisions = async (store: LakeStore, rows: readonly DecisionRow[], signal: AbortSignal): Promise<void> => {
  for (const [hour, some] of groupBy(rows, ({ decided_at }) => decided_at.toISOString().slice(0, 13))) {
    const file = await createParquetFile(DECISION_FILE_COLUMNS);
    const bytes = Buffer.concat([await file.add(some), await file.end()]);
    await store.put(`${DECISIONS_FOLDER}/dt=${hour.slice(0, 10)}/hour=${hour.slice(11)}/part-${randomUUID()}.parquet`, bytes, signal);
  }
};
