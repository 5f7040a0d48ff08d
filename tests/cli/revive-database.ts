import type { Knex } from 'knex';

/** The tables of Revive 6 that an import reads, with their columns and types as PostgreSQL has them. */
const TABLES = `
create table rv_agency (agencyid int primary key, name varchar(255), account_id int);
create table rv_affiliates (affiliateid int primary key, agencyid int, name varchar(255), website varchar(255));
create table rv_zones (zoneid int primary key, affiliateid int, zonename varchar(245), delivery smallint default 0, width smallint, height smallint,
  chain text default '', prepend text default '', append text default '', block int default 0, capping int default 0, session_capping int default 0);
create table rv_clients (clientid int primary key, agencyid int, clientname varchar(255), contact varchar(255), email varchar(64));
create table rv_campaigns (campaignid int primary key, campaignname varchar(255), clientid int, views int default -1, clicks int default -1,
  conversions int default -1, priority int default 0, weight smallint default 1, target_impression int default 0, target_click int default 0,
  target_conversion int default 0, companion smallint default 0, revenue decimal(10,4), revenue_type smallint, block int default 0,
  capping int default 0, session_capping int default 0, status int default 0, activate_time timestamp, expire_time timestamp,
  show_capped_no_cookie smallint default 0);
create table rv_banners (bannerid int primary key, campaignid int, contenttype varchar(8) default 'gif', storagetype varchar(16) default 'html',
  filename varchar(255) default '', imageurl varchar(255) default '', htmltemplate text default '', width smallint default 300,
  height smallint default 250, weight smallint default 1, url text default '', alt varchar(255) default '', bannertext text default '',
  description varchar(255) default '', prepend text default '', append text default '', status int default 0, ext_bannertype varchar(255),
  compiledlimitation text default '', block int default 0, capping int default 0, session_capping int default 0);
create table rv_acls (bannerid int, logical varchar(3) default 'and', type varchar(255), comparison char(2), data text, executionorder int default 0);
create table rv_acls_channel (channelid int, logical varchar(3) default 'and', type varchar(255), comparison char(2), data text, executionorder int default 0);
create table rv_ad_zone_assoc (ad_zone_assoc_id serial, zone_id int, ad_id int, link_type smallint default 1);
create table rv_images (filename varchar(128) primary key, contents bytea);
create table rv_data_summary_ad_hourly (data_summary_ad_hourly_id bigserial, date_time timestamp, ad_id int, zone_id int, requests int default 0,
  impressions int default 0, clicks int default 0);
create table rv_preferences (preference_id int primary key, preference_name varchar(64));
create table rv_account_preference_assoc (account_id int, preference_id int, value text);
`;

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const RUNNING = { campaignid: 10, campaignname: 'House', clientid: 5 };

/** A manager account with each kind of record that an import knows, and some that it does not. */
export const fillReviveDatabase = async (knex: Knex, zone = 1): Promise<void> => {
  await knex.raw(TABLES);
  await knex('rv_agency').insert([{ agencyid: 2, name: 'Gazette group', account_id: 7 }]);
  await knex('rv_preferences').insert({ preference_id: 16, preference_name: 'timezone' });
  await knex('rv_account_preference_assoc').insert({ account_id: 7, preference_id: 16, value: 'Europe/Berlin' });
  await knex('rv_affiliates').insert([{ affiliateid: 3, agencyid: 2, name: 'The Gazette', website: 'https://www.gazette.example/' }]);
  await knex('rv_zones').insert([
    { zoneid: zone, affiliateid: 3, zonename: 'Top', width: 300, height: 250 },
    { zoneid: zone + 1, affiliateid: 3, zonename: 'Text', delivery: 3, width: 0, height: 0 },
    { zoneid: zone + 2, affiliateid: 3, zonename: 'Popup', delivery: 2, width: 300, height: 250 },
    { zoneid: zone + 3, affiliateid: 3, zonename: 'Side | any', width: -1, height: -1, chain: `zone:${zone}` },
  ]);
  await knex('rv_clients').insert([{ clientid: 5, agencyid: 2, clientname: 'Boots', contact: 'Ada', email: 'ada@boots.example' }]);
  await knex('rv_campaigns').insert([
    RUNNING,
    {
      ...{ campaignid: 11, campaignname: 'Spring', clientid: 5, views: 500_000, priority: 5, target_impression: 20_000, revenue: 4.5 },
      // Contracts have no weight in Revive.
      ...{
        weight: 0,
        revenue_type: 1,
        capping: 3,
        block: 86_400,
        activate_time: '2026-01-01 00:00:00',
        expire_time: '2999-12-31 22:59:59',
      },
    },
    { campaignid: 12, campaignname: 'Paused', clientid: 5, status: 1, revenue: 300, revenue_type: 4 },
  ]);
  await knex('rv_images').insert({ filename: 'boots.png', contents: PIXEL });
  await knex('rv_banners').insert([
    {
      bannerid: 100,
      campaignid: 10,
      storagetype: 'sql',
      contenttype: 'png',
      filename: 'boots.png',
      url: 'https://boots.example/a',
      alt: 'Boots',
    },
    { bannerid: 101, campaignid: 10, htmltemplate: '<a href="{clickurl}">{random}</a><b>{source}</b>', description: 'Macros', weight: 3 },
    { bannerid: 102, campaignid: 10, storagetype: 'txt', bannertext: 'Boots & co', url: 'https://boots.example/t', width: 0, height: 0 },
    { bannerid: 103, campaignid: 11, htmltemplate: '<p>DACH</p>', description: 'DACH' },
    { bannerid: 104, campaignid: 11, htmltemplate: '<p>Mornings</p>', description: 'Mornings', session_capping: 2 },
    { bannerid: 105, campaignid: 12, storagetype: 'web', filename: 'lost.png', description: 'Lost' },
    { bannerid: 106, campaignid: 12, htmltemplate: '<p>In a popup</p>', description: 'In a popup' },
  ]);
  await knex('rv_ad_zone_assoc').insert([
    ...[100, 101, 103, 104, 105].map((ad_id) => ({ ad_id, zone_id: zone })),
    ...[
      { ad_id: 102, zone_id: zone + 1 },
      { ad_id: 106, zone_id: zone + 2 },
      { ad_id: 100, zone_id: zone + 3 },
      { ad_id: 100, zone_id: 0 },
    ],
  ]);
  await knex('rv_acls').insert([
    { bannerid: 103, type: 'deliveryLimitations:Geo:Country', comparison: '=~', data: 'DE,AT' },
    { bannerid: 103, type: 'deliveryLimitations:Geo:Country', comparison: '=~', data: 'CH', logical: 'or', executionorder: 1 },
    { bannerid: 104, type: 'deliveryLimitations:Site:Channel', comparison: '=~', data: '9' },
  ]);
  await knex('rv_acls_channel').insert([
    { channelid: 9, type: 'deliveryLimitations:Time:Hour', comparison: '=~', data: '6,7,8@Europe/Berlin' },
  ]);
  await knex('rv_data_summary_ad_hourly').insert([
    { date_time: '2026-02-01 10:00:00', ad_id: 103, zone_id: zone, impressions: 120_000, clicks: 80 },
  ]);
};

const RULES: readonly (readonly [type: string, comparison: string, data: string])[] = [
  ['Site:Variable', '==', 'rubric|sport'],
  ['Client:Language', '=~', 'de,en'],
  ['Geo:Country', '!~', 'US'],
  ['Time:Hour', '=~', '6,7,8@UTC'],
  ['Client:Useragent', '=~', 'Chrome'],
];

/** A manager account as large as many are: 50 campaigns of each priority with four banners each, half of them with a rule. */
export const fillLargeReviveDatabase = async (knex: Knex): Promise<void> => {
  await knex.raw(TABLES);
  const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
  await knex('rv_agency').insert({ agencyid: 1, name: 'Large', account_id: 1 });
  await knex('rv_affiliates').insert({ affiliateid: 1, agencyid: 1, name: 'Large', website: 'https://large.example/' });
  await knex('rv_zones').insert(upTo(10).map((i) => ({ zoneid: 100 + i, affiliateid: 1, zonename: `Zone ${i}`, width: 300, height: 250 })));
  await knex('rv_clients').insert(upTo(5).map((i) => ({ clientid: i, agencyid: 1, clientname: `Advertiser ${i}` })));
  await knex('rv_campaigns').insert(
    upTo(50).map((i) => {
      const priority = [-2, -1, 0, 5, 10][i % 5]!;
      const own = { campaignid: i, campaignname: `Campaign ${i}`, clientid: i % 5, priority, weight: priority > 0 ? 0 : 1 };
      return { ...own, revenue: 1 + i / 10, revenue_type: 1 + (i % 4), ...(priority > 0 && { views: 1_000_000 }), capping: i % 3 };
    }),
  );
  await knex('rv_banners').insert(
    upTo(200).map((i) => {
      const own = {
        bannerid: i,
        campaignid: Math.floor(i / 4),
        description: `Banner ${i}`,
        url: `https://shop.example/${i}`,
        weight: 1 + (i % 3),
      };
      const text = { storagetype: 'txt', bannertext: `Text ${i}` };
      const picture = { storagetype: 'url', contenttype: 'png', imageurl: `https://shop.example/${i}.png` };
      const markup = { storagetype: 'html', htmltemplate: `<a href="{clickurl}">${i}</a>` };
      return { htmltemplate: '', bannertext: '', imageurl: '', contenttype: 'html', ...own, ...[text, picture, markup][i % 3]! };
    }),
  );
  await knex('rv_ad_zone_assoc').insert(upTo(200).map((i) => ({ ad_id: i, zone_id: 100 + (i % 10) })));
  await knex('rv_acls').insert(
    upTo(100).map((i) => {
      const [type, comparison, data] = RULES[i % RULES.length]!;
      return { bannerid: 2 * i, type: `deliveryLimitations:${type}`, comparison, data };
    }),
  );
};
