/**
 * SQL: the name of a record, or the last one of one that was deleted; null: it had none.
 *
 * @param alias of the row in its table, joined from the left
 * @param id SQL of its id
 */
export const nameOrLast = (table: string, alias: string, id: string): string =>
  `coalesce(${alias}.name, (select gone.name from deleted_records gone
     where gone.table_name = '${table}' and gone.record_id = (${id})::text order by gone.id desc limit 1))`;
