import knexFactory from 'knex';
import { migrateLatest } from '../src/catalog/postgres/migrate.ts';
import { ROLL_UPS } from '../src/events/postgres/roll-ups.ts';
import { readReportQuestion } from '../src/reports/report-question.ts';
import { createReports } from '../src/reports/run-report.ts';
import { openPrivateStores } from '../testkit/private-stores.ts';
import { dayOf } from '../src/base/utc-day.ts';

/*
 * The figures of "Reports" in docs/performance.md: how long reports over a year of 1,000 line items take, at a million events a day, and how
 * large the roll-ups are. It starts a separate Postgres on this machine and takes about three minutes: node scripts/front-door.mjs run bench/report-year.ts
 */
const LINE_ITEMS = Number(process.argv[2] ?? 1_000);
const DAYS = 365;
const CREATIVES = 2;
/** Rows of a line item and day: of countries and regions, and of devices and browsers. */
const PLACES = 8;
const DEVICES = 6;
const RUNS = 5;

const QUESTIONS = [
  'group_by=day&metrics=gross_impressions,impressions,viewable,clicks,ctr,events,revenue,ecpm',
  'group_by=campaign&metrics=serves,impressions,clicks,ctr,revenue',
  'group_by=day,line_item&metrics=impressions,clicks,revenue',
  'group_by=line_item&metrics=impressions,ctr,revenue,ecpm&sort=-revenue',
  'group_by=placement,size&metrics=requests,fill_rate,impressions,revenue',
  'group_by=country&metrics=impressions,clicks,revenue',
  'group_by=country,region&metrics=impressions,clicks,revenue',
  'group_by=device,browser&metrics=impressions,ctr,revenue',
  'group_by=reason&metrics=filtered_impressions,filtered_clicks',
  'group_by=day&metrics=impressions,revenue&filter[campaign]=3',
];

const stores = await openPrivateStores('report-year');
try {
  const { url } = await stores.startPostgres();
  await migrateLatest(url);
  const knex = knexFactory({ client: 'pg', connection: url });
  const seed = async (what: string, sql: string): Promise<void> => {
    const begun = performance.now();
    await knex.raw(sql);
    console.error(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  };
  await seed(
    'catalog',
    `insert into publishers (name, domain, api_key_hash, time_zone) select 'publisher ' || n, 'p.example', n, 'Europe/Berlin' from generate_series(1, 5) n;
     insert into advertisers (name) select 'advertiser ' || n from generate_series(1, 50) n;
     insert into placements (id, publisher_id, width, height, formats) select 'place-' || n, 1 + n % 5, 300, 250, '{html}' from generate_series(1, 50) n;
     insert into campaigns (publisher_id, advertiser_id, name, start_at, end_at)
       select 1 + n % 5, n % 50 + 1, 'campaign ' || n, now() - interval '400 days', now() + interval '1 day' from generate_series(1, ${LINE_ITEMS / 5}) n;
     insert into line_items (campaign_id, name, active, budget_type, budget_micros, cpm_micros, start_at, end_at)
       select 1 + n % ${LINE_ITEMS / 5}, 'line item ' || n, true, case when n % 10 = 0 then 'Flat' else 'CPM' end, 1e9, 1e6, now() - interval '364 days', now() + interval '1 day'
       from generate_series(1, ${LINE_ITEMS}) n`,
  );
  const rows = `from generate_series(current_date - ${DAYS - 1}, current_date, interval '1 day') d, line_items l join campaigns c on c.id = l.campaign_id`;
  await seed(
    'days',
    `insert into report_days select d::date, c.publisher_id, c.id, l.id, 2 * l.id + n, 'place-' || (1 + (l.id + n) % 50), '', 520, 500, 3, 300, 2, 500000
     ${rows}, generate_series(1, ${CREATIVES}) n;
     insert into report_days select d::date, c.publisher_id, c.id, l.id, 2 * l.id + 1, 'place-1', 'spider', 0, 20, 1, 0, 0, 0 ${rows} where l.id % 3 = 0`,
  );
  await seed(
    'places',
    `insert into report_places select d::date, c.publisher_id, c.id, l.id, substr('DEFRUSGB', 1 + 2 * (n % 4), 2), 'R' || n, '', 0, 125, 1, 75, 1, 125000
     ${rows}, generate_series(1, ${PLACES}) n`,
  );
  await seed(
    'countries',
    `insert into report_countries select day, publisher_id, campaign_id, line_item_id, country, reason, sum(serves), sum(impressions), sum(clicks), sum(viewable), sum(events), sum(spend_micros)
     from report_places group by 1, 2, 3, 4, 5, 6`,
  );
  await seed(
    'devices',
    `insert into report_devices select d::date, c.publisher_id, c.id, l.id, case n % 2 when 0 then 'mobile' else 'desktop' end, 'browser ' || n, '', 0, 166, 1, 100, 1, 166000
     ${rows}, generate_series(1, ${DEVICES}) n`,
  );
  await seed(
    'requests',
    `insert into request_days select d::date, 1 + n % 5, 'place-' || n, r, 4000
     from generate_series(current_date - ${DAYS - 1}, current_date, interval '1 day') d, generate_series(1, 50) n, unnest(array['', 'targeting', 'pacing', 'daily_cap']) r`,
  );
  await knex.raw('vacuum analyze');

  const reports = createReports({ knex });
  const today = dayOf(Date.now());
  console.log('| Report over 365 days | rows | ms |\n|---|---|---|');
  for (const query of QUESTIONS) {
    const asked = readReportQuestion(new URLSearchParams(`${query}&range=last_365_days`), today);
    if (!asked.ok) throw new Error(JSON.stringify(asked.faults));
    const times: number[] = [];
    let count = 0;
    for (let i = 0; i < RUNS; i++) {
      const begun = performance.now();
      const answer = await reports.page('bench', asked.value, { limit: 500, offset: 0 });
      if (!answer.ok) throw new Error(answer.refusal.why);
      count = answer.value.rowCount;
      times.push(performance.now() - begun);
    }
    console.log(`| \`${query}\` | ${count.toLocaleString('en')} | ${times.sort((a, b) => a - b)[RUNS >> 1]?.toFixed(0)} |`);
  }
  console.log('\n| Roll-up | rows | MB |\n|---|---|---|');
  for (const { table } of ROLL_UPS) {
    const { rows } = await knex.raw<{ rows: { count: string; megabytes: number }[] }>(
      `select count(*) as count, round(pg_total_relation_size('${table}') / 1e6)::int as megabytes from ${table}`,
    );
    for (const { count, megabytes } of rows) console.log(`| \`${table}\` | ${Number(count).toLocaleString('en')} | ${megabytes} |`);
  }
  await knex.destroy();
} finally {
  await stores.stop();
}
