/**
 * Requests by country, and by device and browser (src/events/postgres/roll-ups.ts). '': unknown, or not kept because the user
 * may not be measured. Serves by placement, size, country, device and browser are in the roll-ups of hits.
 */
export async function up(knex) {
  for (const [table, columns] of [
    ['request_countries', ['country']],
    ['request_devices', ['device', 'browser']],
  ])
    await knex.raw(`
      create table ${table} (
        day date not null,
        publisher_id integer not null,
        ${columns.map((column) => `${column} text not null,`).join(' ')}
        reason text not null,
        requests bigint not null,
        primary key (day, publisher_id, ${columns.join(', ')}, reason)
      )`);
}

export async function down(knex) {
  await knex.raw('drop table request_devices, request_countries');
}
