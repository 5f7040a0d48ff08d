import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { MS_PER_HOUR } from '../../src/base/utc-day.ts';
import type { DecisionRow } from '../../src/events/decisions/decision-columns.ts';
import { compareSink } from '../../src/events/sinks/compare-sink.ts';
import type { EventSink } from '../../src/events/sinks/event-sink.ts';
import { openFileSink } from '../../src/events/sinks/file/file-sink.ts';
import { book } from '../../testkit/book.ts';
import { createPage } from '../../testkit/create-page.ts';
import { connectStores } from '../../testkit/read-books.ts';
import { readMetric } from '../../testkit/read-metrics.ts';
import { eventually } from '../../testkit/until.ts';
import { eventOf, fieldsOf, NOON } from '../events/events.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const signal = new AbortController().signal;

test('a replica hands hits to a lake and to lines; ads go on when the folder cannot be written; what it lacks is named and filled; decisions come as a sample', async () => {
  const folder = temporaryFolder();
  const [lakeFolder, linesFolder] = [path.join(folder, 'lake'), path.join(folder, 'lines')];
  const urls = { lake: `file://${lakeFolder}?name=lake&gather=0`, lines: `file://${linesFolder}?format=ndjson&name=lines` };
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const { knex, redis, keys, close } = connectStores({ databaseUrl: stores.DATABASE_URL, redisUrl: stores.REDIS_URL });
  atEnd(close);
  const env = {
    ...{ ...stores, LEDGER_SHARDS: String(keys.shards), DECISION_SAMPLE: '1' },
    // Of 16 streams, each may have 63 entries.
    ...{ SINKS: `${urls.lake} ${urls.lines}`, SINK_LAG_LIMIT: '1000' },
  };
  const booking = await book(knex);
  // Another replica hands events to a sink that this one does not name.
  await redis.hset(keys.sinkMarks(0), 'kafka', `${Date.now()}-0`);
  await redis.set(keys.sinkOwner(0, 'kafka'), 'another', 'PX', 600_000);
  const replica = await startReplica({ env });
  const page = createPage(replica.url, 4);
  atEnd(page.close);
  const serve = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { status, bids } = await page.ask(booking, `user-${i}`);
      expect([status, bids.length, await page.hit(bids[0]!.impurl)]).toEqual([200, 1, 200]);
    }
  };
  const open = (name: keyof typeof urls): Promise<EventSink> =>
    openFileSink({ name, url: new URL(urls[name]), keepsUserHash: false, replica: 'test', onNotice: () => undefined });
  const sinks = { lake: await open('lake'), lines: await open('lines') };
  const compare = (name: keyof typeof urls, day: number, dryRun: boolean) =>
    // The hours that run are over by then.
    compareSink(knex, { sink: sinks[name], keepsUserHash: false }, day, { dryRun, signal, nowMs: Date.now() + 2 * MS_PER_HOUR });
  const stored = async (): Promise<readonly number[]> => {
    const { rows } = await knex.raw<{ rows: { day: number }[] }>(`select distinct day - date '1970-01-01' as day from events`);
    return rows.map(({ day }) => day);
  };
  const eventsIn = async (sink: EventSink): Promise<number> => {
    const dates = (await stored()).map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    const counts = await Promise.all(dates.map((date) => sink.count!(date, 'hour', signal)));
    return counts.flat().reduce((sum, { events }) => sum + events, 0);
  };
  const has = (sink: EventSink, events: number) => eventually(async () => expect(await eventsIn(sink)).toBe(events));
  const hasRows = (events: number) =>
    eventually(async () => expect(await knex('events').count('* as events')).toEqual([{ events: String(events) }]));
  const lag = (name: string) => readMetric(replica, `adserver_sink_lag_seconds{sink="${name}"}`);

  await eventually(async () => expect(await readMetric(replica, 'adserver_sinks_not_named')).toBe(1));
  expect(replica.logs()).toMatch(/Other replicas hand events to a sink that SINKS of this one does not name.*"sink":"kafka"/);
  await serve(5);
  await Promise.all([has(sinks.lake, 5), has(sinks.lines, 5), hasRows(5)]);
  const [today = 0] = await stored();
  expect([await compare('lake', today, true), await compare('lines', today, true)]).toEqual(
    Array.from({ length: 2 }, () => ({ differences: [], hours: [], replayed: 0 })),
  );

  // A folder that cannot be written, also for root.
  const aside = path.join(folder, 'aside');
  renameSync(lakeFolder, aside);
  writeFileSync(lakeFolder, '');
  await serve(5);
  await has(sinks.lines, 10);
  await eventually(() => expect(replica.logs()).toContain('Events could not be handed to a sink; they wait'));
  await eventually(async () => expect([await lag('lines'), (await lag('lake')) > 0]).toEqual([0, true]));
  // More than Redis is to hold, in another stream, and older than three minutes.
  const shard = (keys.shardOf(booking.publisherId) + 1) % keys.shards;
  const old = Array.from({ length: 70 }, (_, i) => eventOf({ lineItemId: 1 + (i % 3) }));
  for (const [i, event] of old.entries()) await redis.xadd(keys.events(shard), `${NOON + i}-0`, ...fieldsOf(event));
  await eventually(async () => expect(await readMetric(replica, 'adserver_sink_gap_hours{sink="lake"}')).toBe(1));
  expect(await knex('sink_gaps').where({ sink: 'lake' }).select('hour')).toEqual([{ hour: '2026-06-15T12' }]);
  await serve(5);

  rmSync(lakeFolder);
  renameSync(aside, lakeFolder);
  await Promise.all([has(sinks.lake, 85), has(sinks.lines, 85), hasRows(85)]);
  await eventually(async () => expect(await readMetric(replica, 'adserver_sink_gap_hours{sink="lake"}')).toBe(0));
  expect(await readMetric(replica, 'adserver_sink_events_total{sink="lake",outcome="passed_over"}')).toBe(70);
  for (const day of await stored()) expect(await compare('lake', day, true)).toEqual({ differences: [], hours: [], replayed: 0 });

  // The command names what is taken away, and hands it over again.
  const reconcile = async (...args: readonly string[]): Promise<string> => {
    const days = ['--from', '2026-06-15', '--to', '2026-06-15'];
    const command = [path.resolve(__dirname, '../../dist/commands/reconcile.js'), ...days, ...args];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, ...env, TOKEN_SECRET: 'x'.repeat(32) },
    });
    return stdout;
  };
  rmSync(path.join(lakeFolder, 'manifests', 'dt=2026-06-15'), { recursive: true });
  expect(await reconcile()).toContain('sink lake, 2026-06-15: 1 hours differ and were handed to it again: 70 events');
  expect(await reconcile('--dry-run')).toMatch(/sink lake, 2026-06-15: 0 hours differ\n.*sink lines, 2026-06-15: 0 hours differ\n/s);

  expect(await reconcile('--again', 'lines')).toBe('sink lines, 2026-06-15: 1 hours were handed to it again: 70 events\n');

  await replica.stop();
  const decisions = path.join(linesFolder, 'decisions');
  const rows = readdirSync(decisions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(path.join(decisions, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as DecisionRow);
  expect(rows).toHaveLength(15);
  expect(rows[0]).toMatchObject({
    ...{ weight: 1, publisher_id: booking.publisherId, placement_id: booking.placementId, outcome: 'served', sizes: '300x250' },
    ...{ line_item_id: booking.lineItemIds[0], may_measure: 1, refused: '[]', offered: JSON.stringify(booking.lineItemIds) },
  });
  expect(
    readdirSync(path.join(lakeFolder, 'decisions'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet')),
  ).not.toEqual([]);
});
