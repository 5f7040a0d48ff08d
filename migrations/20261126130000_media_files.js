/** What is read from an uploaded video or sound: length, bits per second, and codecs (RFC 6381 where the container names them so). */
export async function up(knex) {
  await knex.raw(`
    alter table assets
      add duration_ms integer null check (duration_ms > 0),
      add bitrate_kbps integer null check (bitrate_kbps > 0),
      add codec text null
  `);
}

export async function down(knex) {
  await knex.raw('alter table assets drop duration_ms, drop bitrate_kbps, drop codec');
}
