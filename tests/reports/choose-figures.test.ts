import knexFactory, { type Knex } from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { readPublisherDays } from '../../src/events/postgres/publisher-days.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { openClickHouseFigures } from '../../src/events/sinks/clickhouse/clickhouse-figures.ts';
import { createChooseFigures, WHY_POSTGRES, type WhyPostgres } from '../../src/reports/choose-figures.ts';
import { readReportQuestion } from '../../src/reports/report-question.ts';
import { createReports } from '../../src/reports/run-report.ts';
import { book, insertRow } from '../../testkit/book.ts';
import { eventOf } from '../events/events.ts';
import { testDatabase } from '../setup/test-database.ts';

// Reports that ClickHouse answers run on its engine in `npm run prove -- --only reports`.

const MINUTE_MS = 60_000;
let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

test('what the sink cannot answer, or cannot at the moment, is answered from Postgres with the reason, which is counted', async () => {
  const booking = await book(knex);
  const ad = { publisherId: booking.publisherId, campaignId: booking.campaignId, lineItemId: booking.lineItemIds[0]! };
  await createEventStore({ knex }).append([eventOf(ad, {}, Date.now())]);
  await rollUpAll(knex);
  const today = (await readPublisherDays(knex, Date.now())).today(booking.publisherId);
  const chosen: string[] = [];
  let behindMs: number | undefined = 0;
  const open = async () =>
    createReports({
      knex,
      chooseFigures: createChooseFigures({
        // Nothing listens there.
        figures: await openClickHouseFigures(new URL('clickhouse://127.0.0.1:1/')),
        name: 'clickhouse',
        completeUntil: () => Promise.resolve(behindMs === undefined ? undefined : new Date(Date.now() - behindMs)),
        onChosen: (why) => void chosen.push(why ?? 'none'),
        onFailure: (fault) => void chosen.push((fault as { readonly code?: string }).code ?? fault.message),
      }),
    });
  let reports = await open();
  const ask = async (query: string) => {
    const question = readReportQuestion(new URLSearchParams(`range=last_7_days&${query}`), today);
    if (!question.ok) throw new Error(JSON.stringify(question.faults));
    const page = await reports.page('staff', question.value, { limit: 10, offset: 0 });
    if (!page.ok) throw new Error(page.refusal.why);
    const { source, sourceNote, totals } = page.value;
    return [source, sourceNote, totals['impressions'] ?? null];
  };
  const fromPostgres = (why: WhyPostgres, impressions: number | null = 1) => ['postgres', WHY_POSTGRES[why], impressions];

  expect(await ask('metrics=requests')).toEqual(fromPostgres('figures', null));
  expect(await ask('metrics=serves,impressions')).toEqual(fromPostgres('figures'));
  behindMs = 11 * MINUTE_MS;
  expect(await ask('metrics=impressions')).toEqual(fromPostgres('behind'));
  behindMs = undefined;
  expect(await ask('metrics=impressions')).toEqual(fromPostgres('behind'));
  behindMs = 0;

  const day = new Date().toISOString().slice(0, 10);
  await knex('sink_days').insert({ sink: 'clickhouse', day });
  expect(await ask('metrics=impressions')).toEqual(fromPostgres('gaps'));
  await knex('sink_days').update({ compared_at: new Date() });
  await knex('sink_gaps').insert({ sink: 'clickhouse', day, hour: `${day}T00`, shard: 0, after_entry: '0-0', to_entry: '1-0' });
  expect(await ask('metrics=impressions')).toEqual(fromPostgres('gaps'));
  await knex('sink_gaps').update({ sink: 'another' });

  // The first advertiser pays for what was counted before; another one does not.
  const advertisers = [await insertRow(knex, 'advertisers', { name: 'first' }), await insertRow(knex, 'advertisers', { name: 'second' })];
  const paidBy = (advertiser_id: number) => knex('campaigns').where({ id: booking.campaignId }).update({ advertiser_id });
  await paidBy(advertisers[0]!);
  expect(await ask('group_by=advertiser&metrics=impressions')).toEqual(fromPostgres('away'));
  reports = await open();
  await paidBy(advertisers[1]!);
  expect(await ask('group_by=advertiser&metrics=impressions')).toEqual(fromPostgres('payers'));
  expect(await ask('group_by=campaign&metrics=impressions')).toEqual(fromPostgres('away'));
  // It is not asked again for a while.
  expect(await ask('group_by=campaign&metrics=impressions')).toEqual(fromPostgres('away'));
  expect(chosen).toEqual([
    ...['figures', 'figures', 'behind', 'behind', 'gaps', 'gaps', 'ECONNREFUSED', 'away'],
    ...['payers', 'ECONNREFUSED', 'away', 'away'],
  ]);
});
