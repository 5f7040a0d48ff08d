import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Tally } from '../../ledger/read/tally-books.ts';

/** The part of a tally's field behind `day:line item:`, and the table that counts the same. */
const TABLES: Readonly<Record<Tally, { readonly table: string; readonly rest: string }>> = {
  filtered: { table: 'filtered_counts', rest: `kind || ':' || reason` },
  eventTally: { table: 'event_counts', rest: 'event_type' },
};

/** The counts of these fields of a tally according to Postgres; 0 for one that is not there. */
export const tallyRows = async (knex: Knex, tally: Tally, fields: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const { table, rest } = TABLES[tally];
  const [days, lineItems] = [new Set<number>(), new Set<number>()];
  for (const field of fields) {
    const [day, lineItem] = field.split(':').map(Number);
    if (day !== undefined) days.add(day);
    if (lineItem !== undefined) lineItems.add(lineItem);
  }
  const { rows } = await knex.raw<{ rows: { field: string; count: string }[] }>(
    `select (day - date '1970-01-01') || ':' || line_item_id || ':' || ${rest} as field, sum(count) as count from ${table}
     where day = any(?::date[]) and line_item_id = any(?::int[]) group by 1`,
    [[...days].map(dateOfDay), [...lineItems]] as unknown as Knex.RawBinding,
  );
  const counts = new Map(rows.map(({ field, count }) => [field, Number(count)]));
  return new Map(fields.map((field) => [field, counts.get(field) ?? 0]));
};

/** The fields that a tally should have of this day or later days, with their publishers; also of what is deleted and can be restored. */
export const tallyFields = async (
  knex: Knex,
  tally: Tally,
  fromDay: number,
): Promise<readonly { readonly publisherId: number; readonly field: string }[]> => {
  const { table, rest } = TABLES[tally];
  const { rows } = await knex.raw<{ rows: { publisherId: number; field: string }[] }>(
    `select distinct c.publisher_id as "publisherId", (day - date '1970-01-01') || ':' || line_item_id || ':' || ${rest} as field
     from ${table} t join accounted_line_items l on l.id = t.line_item_id join accounted_campaigns c on c.id = l.campaign_id
     where day >= ?::date and count > 0`,
    [dateOfDay(fromDay)],
  );
  return rows;
};
