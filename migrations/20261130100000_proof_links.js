/**
 * Links by which an advertiser looks at the previews of its ads, and what is said about each ad there. `digest` is the SHA-256 of the
 * link's secret, `prefix` its first characters. A link shows one creative, or (`creative_id` null) all of the campaign, while the
 * campaign is the advertiser's for whom it was made. Links name records without references, so that they work again when a
 * deletion is undone.
 *
 * proof_remarks.version: of what the ad showed when it was judged; a verdict is about that alone. `link_id` null: of staff.
 * `done_at`: when whoever made the link took the remark out of the inbox.
 */
export async function up(knex) {
  await knex.raw(`
    create table proof_links (
      id int generated always as identity primary key,
      digest bytea not null unique,
      prefix text not null,
      campaign_id int not null,
      creative_id int null,
      advertiser_id int null,
      title text not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz null,
      revoked_at timestamptz null
    );
    create index proof_links_campaign on proof_links (campaign_id);
    create table proof_remarks (
      id int generated always as identity primary key,
      creative_id int not null references creatives (id) on delete cascade,
      link_id int null references proof_links (id),
      at timestamptz not null default now(),
      author text not null,
      verdict text null check (verdict in ('approved', 'changes')),
      text text not null,
      version text not null,
      done_at timestamptz null
    );
    create index proof_remarks_creative on proof_remarks (creative_id, id);
    create index proof_remarks_link on proof_remarks (link_id, at);
  `);
}

export async function down(knex) {
  await knex.raw('drop table proof_remarks; drop table proof_links;');
}
