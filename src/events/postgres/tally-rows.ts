import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Tally } from '../../ledger/read/tally-books.ts';
import { inOneState, type Uncounted, type UncountedRows } from './uncounted.ts';

/** The part of a tally's field behind `day:line item:`, and the table that counts the same. */
const TABLES: Readonly<Record<Tally, { readonly table: string; readonly rest: string }>> = {
  filtered: { table: 'filtered_counts', rest: `kind || ':' || reason` },
  eventTally: { table: 'event_counts', rest: 'event_type' },
};

/** The field that rows are counted in. */
const FIELD_OF: Readonly<Record<Tally, (rows: UncountedRows) => string | undefined>> = {
  filtered: ({ day, lineItemId, kind, reason }) => (reason === '' ? undefined : `${day}:${lineItemId}:${kind}:${reason}`),
  eventTally: ({ day, lineItemId, kind, eventType, reason }) =>
    kind === 'event' && reason === '' ? `${day}:${lineItemId}:${eventType}` : undefined,
};

/**
 * The counts of these fields of a tally according to Postgres, with the rows that are in no count yet; 0 for one that is not there.
 *
 * @param trx sees one state of the database
 */
export const tallyRows = async (
  trx: Knex,
  tally: Tally,
  fields: readonly string[],
  uncounted: Uncounted,
): Promise<ReadonlyMap<string, number>> => {
  const { table, rest } = TABLES[tally];
  const [days, lineItems] = [new Set<number>(), new Set<number>()];
  for (const field of fields) {
    const [day, lineItem] = field.split(':').map(Number);
    if (day !== undefined) days.add(day);
    if (lineItem !== undefined) lineItems.add(lineItem);
  }
  const { rows } = await trx.raw<{ rows: { field: string; count: string }[] }>(
    `select (day - date '1970-01-01') || ':' || line_item_id || ':' || ${rest} as field, sum(count) as count from ${table}
     where day = any(?::date[]) and line_item_id = any(?::int[]) group by 1`,
    [[...days].map(dateOfDay), [...lineItems]] as unknown as Knex.RawBinding,
  );
  const counts = new Map(rows.map(({ field, count }) => [field, Number(count)]));
  for (const row of await uncounted.read(trx)) {
    const field = FIELD_OF[tally](row);
    if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + row.count);
  }
  return new Map(fields.map((field) => [field, counts.get(field) ?? 0]));
};

/** The fields that a tally should have of this day or later days, with their publishers; also of what is deleted and can be restored. */
export const tallyFields = async (
  knex: Knex,
  tally: Tally,
  fromDay: number,
  uncounted: Uncounted,
): Promise<readonly { readonly publisherId: number; readonly field: string }[]> => {
  const { table, rest } = TABLES[tally];
  const { rows } = await knex.raw<{ rows: { publisherId: number; field: string }[] }>(
    `select distinct c.publisher_id as "publisherId", (day - date '1970-01-01') || ':' || line_item_id || ':' || ${rest} as field
     from ${table} t join accounted_line_items l on l.id = t.line_item_id join accounted_campaigns c on c.id = l.campaign_id
     where day >= ?::date and count > 0`,
    [dateOfDay(fromDay)],
  );
  const later = (await inOneState(knex, (trx) => uncounted.read(trx))).flatMap((row) => {
    const field = row.day < fromDay ? undefined : FIELD_OF[tally](row);
    return field === undefined ? [] : [{ publisherId: row.publisherId, field }];
  });
  return [...rows, ...later];
};
