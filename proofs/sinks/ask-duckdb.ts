import { DuckDBInstance } from '@duckdb/node-api';
import type { SinkCount } from '../../src/events/sinks/event-sink.ts';

/** Kinds of files that hold events. */
export type EventFiles = 'parquet' | 'lines';

const COLUMNS = `{event_id: 'VARCHAR', version: 'INTEGER', line_item_id: 'INTEGER', kind: 'VARCHAR', state: 'VARCHAR', billed_micros: 'BIGINT'}`;

const SOURCES: Readonly<Record<EventFiles, (glob: string) => string>> = {
  parquet: (glob) => `read_parquet('${glob}', hive_partitioning = true)`,
  // The last line of a replica that was killed may be cut off; another replica has written the whole.
  lines: (glob) => `read_json('${glob}', format = 'newline_delimited', columns = ${COLUMNS}, ignore_errors = true)`,
};

/**
 * What DuckDB, which knows nothing of this project, finds in files of events: their sums by line item, kind and state without repeated events, by
 * the query of docs/sinks/lake.md, and how many there are with them.
 */
export const askDuckDb = async (
  files: EventFiles,
  glob: string,
): Promise<{ readonly counts: readonly SinkCount[]; readonly written: number }> => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' });
  const connection = await instance.connect();
  try {
    const source = SOURCES[files](glob);
    const found = await connection.runAndReadAll(
      `select line_item_id::varchar as "group", kind, state, count(*)::double as events, sum(billed_micros)::double as micros, sum(copies)::double as written
       from (select line_item_id, kind, state, billed_micros, count(*) over (partition by event_id) as copies from ${source}
             qualify row_number() over (partition by event_id order by version desc) = 1)
       group by all`,
    );
    const counts = found.getRowObjects() as unknown as readonly (SinkCount & { readonly written: number })[];
    return { counts, written: counts.reduce((sum, { written }) => sum + written, 0) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};
