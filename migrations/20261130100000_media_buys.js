/**
 * What agents of buyers have bought, and the creatives that they have sent.
 *
 * - `media_buys.asked`: the flight and the packages as they were asked for. `packages`: the same with their line items, once
 *   the campaign is booked; a media buy without a campaign waits for its approval, or was refused.
 * - `catalog_version`: before it was booked. A forecast of a later one counts its impressions as sold.
 * - `webhook_*`: where the outcome of the approval is sent, until it is: the secret is sealed.
 * - `buyer_creatives.fields`: of a creative of the catalog. Each package to which one is assigned has a copy.
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers add column approval_of_media_buys boolean not null default true;

    create table media_buys (
      id int generated always as identity primary key,
      publisher_id int not null references publishers on delete cascade,
      advertiser_id int not null references advertisers on delete cascade,
      campaign_id int unique references campaigns on delete cascade,
      approval_id int unique references approvals on delete set null,
      buyer text not null,
      asked jsonb not null,
      packages jsonb not null default '[]',
      revision int not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      confirmed_at timestamptz,
      catalog_version bigint,
      canceled_at timestamptz,
      cancellation_reason text,
      webhook_url text,
      webhook_scheme text check (webhook_scheme in ('Bearer', 'HMAC-SHA256')),
      webhook_secret text,
      webhook_due_at timestamptz,
      webhook_tries smallint not null default 0
    );
    create index media_buys_advertiser on media_buys (publisher_id, advertiser_id, id);
    create index media_buys_webhook on media_buys (webhook_due_at) where webhook_due_at is not null;

    create table buyer_creatives (
      publisher_id int not null references publishers on delete cascade,
      advertiser_id int not null references advertisers on delete cascade,
      creative_id text not null,
      name text not null,
      format_id text not null,
      fields jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (publisher_id, advertiser_id, creative_id)
    );
  `);
}

export async function down(knex) {
  await knex.raw(`
    drop table buyer_creatives;
    drop table media_buys;
    alter table publishers drop column approval_of_media_buys;
  `);
}
