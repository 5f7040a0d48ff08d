import { setImmediate as otherRequests } from 'node:timers/promises';
import { csvText } from '../../base/csv.ts';
import { REPORT_COLUMNS, type ReportFigures } from './report-columns.ts';

/** Columns that are one column for each name. */
const BY_NAME = { events: 'event_', filtered: 'filtered_' } as const;
/** About 2 ms of the event loop to write. */
const ROWS_AT_ONCE = 100;

/**
 * A report as CSV: a header line, one column per event type and per kind of filtered hits, no totals.
 *
 * @param keys what a row counts, in the order of the columns
 * @param totals of all pages: they have every name that occurs
 * @returns the text of the header, then of some rows each
 */
export async function* reportCsv(
  keys: object,
  totals: Pick<ReportFigures, keyof typeof BY_NAME>,
  pages: AsyncIterable<readonly ReportFigures[]>,
): AsyncGenerator<string> {
  const columns = Object.keys({ ...keys, ...REPORT_COLUMNS.figures });
  const namesOf = (column: keyof typeof BY_NAME): readonly string[] => Object.keys(totals[column]).sort();
  yield csvText([columns.flatMap((column) => (isByName(column) ? namesOf(column).map((name) => BY_NAME[column] + name) : [column]))]);
  for await (const rows of pages)
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      yield csvText(
        rows
          .slice(i, i + ROWS_AT_ONCE)
          .map((row) =>
            columns.flatMap((column) =>
              isByName(column) ? namesOf(column).map((name) => row[column][name] ?? 0) : [row[column as keyof ReportFigures]],
            ),
          ),
      );
      await otherRequests();
    }
}

const isByName = (column: string): column is keyof typeof BY_NAME => column in BY_NAME;
