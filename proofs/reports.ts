import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dayOf, MS_PER_DAY } from '../src/base/utc-day.ts';
import { openClickHouse } from '../src/events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema } from '../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { openClickHouseSink } from '../src/events/sinks/clickhouse/clickhouse-sink.ts';
import { reportJson } from '../src/reports/answer-report.ts';
import { readReportQuestion } from '../src/reports/report-question.ts';
import { createReports } from '../src/reports/run-report.ts';
import { book, insertRow } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { readMetrics } from '../testkit/read-metrics.ts';
import { startClickHouse } from '../testkit/start-clickhouse.ts';
import { startReplica, type Replica } from '../testkit/start-replica.ts';
import type { Delivered } from '../testkit/stored-events.ts';
import { bookLargeDemo } from './reports/book-large-demo.ts';
import { fillBoth } from './reports/fill-both.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const DAYS = 60;
const STAFF = 'the-token-of-the-staff-of-this-proof';
const PAGE = { limit: 1_000, offset: 0 };

/** Zones with half hours and with summer time, two currencies, and fees that no day divides. */
const PUBLISHERS = [
  { time_zone: 'Europe/Berlin', currency: 'EUR' },
  { time_zone: 'Asia/Kolkata', currency: 'USD' },
  { time_zone: 'America/New_York', currency: 'USD' },
] as const;

const HITS = 'impressions,gross_impressions,filtered_impressions,viewable,clicks,gross_clicks,provisional_clicks,ctr,events,revenue,ecpm';
const PLAYS = 'starts,first_quartiles,midpoints,completes,skips,completion_rate';

const reportsOf = (publisherId: number): readonly string[] => [
  `group_by=day&metrics=${HITS}`,
  'group_by=campaign,line_item&metrics=impressions,clicks,revenue&sort=-revenue',
  'group_by=advertiser,campaign&metrics=impressions,revenue',
  'group_by=creative,placement,size&metrics=impressions,revenue',
  `group_by=publisher,country,region&metrics=${HITS}`,
  `group_by=device,browser&metrics=impressions,clicks,revenue&filter[publisher]=${publisherId}&filter[device]=mobile,tablet`,
  `group_by=hour&metrics=impressions,clicks,revenue&range=last_7_days&filter[publisher]=${publisherId}`,
  'group_by=day,reason&metrics=gross_impressions,gross_clicks,provisional_clicks,filtered_clicks',
  `group_by=line_item,creative&metrics=${PLAYS}`,
  'group_by=error_code,month&metrics=video_errors',
  'group_by=month,currency,class,value_type&metrics=impressions,revenue,ecpm&filter[country]=DE,US',
];
/** Those that ClickHouse cannot answer alone or at all. */
const others = (): readonly string[] => ['group_by=day&metrics=serves,impressions', 'group_by=day&metrics=requests,fill_rate'];

const bookAll = async ({ knex }: Fleet): Promise<readonly Delivered[]> => {
  const flight = { start_at: new Date(Date.now() - 90 * MS_PER_DAY), end_at: new Date(Date.now() + 7 * MS_PER_DAY) };
  const delivered: Delivered[] = [];
  for (const { time_zone, currency } of PUBLISHERS) {
    const advertiser_id = await insertRow(knex, 'advertisers', { name: `advertiser in ${time_zone}` });
    const fee = { budget_type: 'Flat', cpm_micros: null, budget_micros: 987_654_321_987 };
    const booking = await book(knex, { campaign: { ...flight, advertiser_id }, lineItems: [flight, { ...flight, ...fee }, flight] });
    await knex('publishers').where({ id: booking.publisherId }).update({ time_zone, currency });
    delivered.push({ ...booking, timeZone: time_zone });
  }
  return delivered;
};

/** At the full scale with the bookings of the large demonstration. The engine of ClickHouse is that of chDB: see testkit/start-clickhouse.ts. */
export const reports: Proof = {
  name: 'reports',
  needs: 'Python',
  claim: `the same reports of ${DAYS} days by a replica with REPORTS_URL, from the engine of ClickHouse (chDB), and from the roll-ups of Postgres`,
  expected:
    'equal rows and totals, to the micro; what ClickHouse cannot answer, or cannot while it is away, is answered from Postgres with the reason',
  run: async (rig, scale) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'report-sources-'));
    const engine = await startClickHouse(folder);
    const env = { SINKS: engine.url, SINK_RECONCILE: '0', REPORTS_URL: engine.url, ADMIN_ENABLED: 'true', ADMIN_TOKEN: STAFF };
    const fleet = await rig.fleet({ replicas: 0 });
    let replica: Replica | undefined;
    try {
      const clickHouse = await openClickHouse(new URL(engine.url));
      for (const query of clickHouseSchema(clickHouse.table, 4_000)) await clickHouse.client.command({ query });
      const sink = await openClickHouseSink({
        ...{ name: 'clickhouse', url: new URL(engine.url), keepsUserHash: false, replica: 'proof', onNotice: () => undefined },
      });
      const bookings = [
        ...(await scale.of(
          () => bookLargeDemo(fleet.knex),
          () => Promise.resolve([]),
        )()),
        ...(await bookAll(fleet)),
      ];
      const ofZone = bookings.at(-2)!.publisherId;
      const count = await fillBoth({
        ...{ knex: fleet.knex, clickHouse, sink, bookings, count: scale.count ?? scale.of(2_000_000, 20_000), days: DAYS },
        ...{ chance: createChance(rig.seed), say: rig.say },
      });
      await Promise.all([sink.close(), clickHouse.client.close()]);
      // Not before: its ledger has no clicks of these events under judgement, so after some minutes it would judge them anew.
      const stores = { DATABASE_URL: fleet.databaseUrl, REDIS_URL: `redis://127.0.0.1:${fleet.redisPort}` };
      replica = await startReplica({ env: { ...stores, ...env } });
      const { url } = replica;
      const ofPostgres = createReports({ knex: fleet.knex });
      const today = dayOf(Date.now());

      const ask = async (query: string) => {
        const asked = `${query}${query.includes('range=') ? '' : '&range=last_90_days'}&limit=${PAGE.limit}`;
        const begun = performance.now();
        const answer = await fetch(`${url}/api/reports?${asked}`, { headers: { Authorization: `Bearer ${STAFF}` } });
        const text = await answer.text();
        const ms = performance.now() - begun;
        if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${text}`);
        return { ...(JSON.parse(text) as ReturnType<typeof reportJson>), ms, asked };
      };
      const compare = async (query: string) => {
        const { source, source_note, ms, asked, ...found } = await ask(query);
        const question = readReportQuestion(new URLSearchParams(asked), today);
        if (!question.ok) throw new Error(`${query}: ${JSON.stringify(question.faults)}`);
        const begun = performance.now();
        const page = await ofPostgres.page('proof', { ...question.value, from: found.from, to: found.to }, PAGE);
        const postgresMs = performance.now() - begun;
        if (!page.ok) throw new Error(`${query}: ${page.refusal.why}`);
        const wanted = reportJson(question.value, page.value);
        const isEqual =
          JSON.stringify([found.rows, found.totals, found.totals_by_currency]) ===
          JSON.stringify([wanted.rows, wanted.totals, wanted.totals_by_currency]);
        rig.say(
          `  ${isEqual ? 'equal' : 'DIFFERS'}, ${found.row_count} rows, ${source} ${Math.round(ms)} ms, Postgres ${Math.round(postgresMs)} ms: ${query}`,
        );
        if (!isEqual) rig.say(`    ${JSON.stringify(found.rows).slice(0, 400)}\n    ${JSON.stringify(wanted.rows).slice(0, 400)}`);
        return { query, source, source_note, isEqual, rows: found.row_count, ms, postgresMs };
      };
      const compared: Awaited<ReturnType<typeof compare>>[] = [];
      for (const query of reportsOf(ofZone)) compared.push(await compare(query));
      const fromPostgres: Awaited<ReturnType<typeof compare>>[] = [];
      for (const query of others()) fromPostgres.push(await compare(query));
      await engine.end('SIGKILL');
      const away = await compare('group_by=day&metrics=impressions,revenue');
      const series = [...(await readMetrics(replica))].filter(([key]) => key.startsWith('adserver_report_reads_total{'));
      const reads = series.reduce((sum, [, value]) => sum + value, 0);
      const wrong = compared.filter(({ isEqual, source, rows }) => !isEqual || source !== 'clickhouse' || rows === 0);
      const isTold = [...fromPostgres, away].every(({ isEqual, source, source_note }) => isEqual && source === 'postgres' && source_note);
      const sum = (of: 'ms' | 'postgresMs'): number => Math.round(compared.reduce((total, one) => total + one[of], 0));
      return {
        observed: `${count} events: ${compared.length - wrong.length} of ${compared.length} reports equal, in ${sum('ms')} ms from ClickHouse and ${sum('postgresMs')} ms from Postgres; ${fromPostgres.length} that it cannot answer and one while it was away from Postgres: ${isTold ? 'equal, with the reason' : JSON.stringify([fromPostgres, away])}; ${reads} reads counted${wrong.length > 0 ? `; wrong: ${wrong.map(({ query, source, source_note }) => `${query} (${source}: ${source_note})`).join('; ')}` : ''}`,
        ok: wrong.length === 0 && isTold && reads === compared.length + fromPostgres.length + 1,
      };
    } finally {
      await replica?.kill('SIGKILL');
      await fleet.close();
      await engine.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  },
};
