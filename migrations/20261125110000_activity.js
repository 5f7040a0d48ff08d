/**
 * Clicks of a visitor on a day after the first one: they count and bill, and rotation, prices and goals learn
 * nothing from them. The first characters of the user hash are kept as long as the network, to follow a user of a
 * stored day over time. A click under judgement has the reason 'provisional' in events, filtered_counts and the
 * roll-ups until it is judged; the index finds those that no ledger knows any more (ONLY: existing partitions
 * have none).
 */
export async function up(knex) {
  await knex.raw(`
    alter table events add is_repeat boolean not null default false;
    alter table daily_counts add repeat_clicks bigint not null default 0;
    alter table event_signals add user_part text null;
    create index events_provisional on only events (at) where invalid_reason = 'provisional';
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop index events_provisional;
    alter table event_signals drop user_part;
    alter table daily_counts drop repeat_clicks;
    alter table events drop is_repeat;
  `);
}
