import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { compactDay, KEPT_MS } from '../../../src/events/sinks/lake/compact-lake.ts';
import { lakeDays, readLakeDay } from '../../../src/events/sinks/lake/lake-log.ts';
import { openLake, openLakeStore } from '../../../src/events/sinks/lake/open-lake.ts';
import { SinkRefusal, type EventSink, type SinkCount } from '../../../src/events/sinks/event-sink.ts';
import { BUCKET_CREDENTIALS, startBucket, type Bucket } from '../../../testkit/start-bucket.ts';
import { startProcess } from '../../../testkit/start-process.ts';
import { untilTrue } from '../../../testkit/until.ts';
import { atEnd } from '../../setup/at-end.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { eventsFrom, nthEvent, sumsOf } from '../../../testkit/sink-events.ts';

const DAY = '2026-06-15';
const never = new AbortController().signal;
let duckDb: DuckDBConnection;
let bucket: Bucket;

beforeAll(async () => {
  duckDb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  Object.assign(process.env, BUCKET_CREDENTIALS);
  bucket = await startBucket(temporaryFolder());
  atEnd(bucket.end);
});

const open = async (url: string): Promise<EventSink> =>
  openLake({ name: 'lake', url: new URL(url), keepsUserHash: url.includes('user_hash'), replica: 'one', onNotice: () => undefined });
const fileUrl = (folder: string): string => `file://${folder}?gather=0&user_hash=true`;
const s3Url = (prefix: string): string => `${bucket.urlOf(prefix)}&gather=0&user_hash=true`;

/** What DuckDB, which knows nothing of this project, finds in a folder. */
const asked = async (folder: string): Promise<ReturnType<typeof sumsOf>> => {
  const rows = await duckDb.runAndReadAll(`
    select line_item_id || ' ' || kind || ' ' || state as key, count(*)::int as events, sum(billed_micros)::double as micros
    from (select * from read_parquet('${folder}/events/*/*/*.parquet', hive_partitioning = true)
          qualify row_number() over (partition by event_id order by version desc) = 1)
    group by 1 order by 1`);
  return Object.fromEntries(rows.getRowObjects().map(({ key, events, micros }) => [key, [events, micros] as [number, number]]));
};
const counted = (counts: readonly SinkCount[]): ReturnType<typeof sumsOf> =>
  Object.fromEntries(
    counts
      .map(({ group, kind, state, events, micros }) => [`${group} ${kind} ${state}`, [events, micros] as const] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

test.each(['folder', 'bucket'])('a lake in a %s has each event once for its readers, is compacted, filled and forgets', async (kind) => {
  const folder = temporaryFolder();
  const url = kind === 'folder' ? fileUrl(folder) : s3Url('ads/lake');
  const [sink, store] = [await open(url), await openLakeStore(new URL(url))];
  const all = eventsFrom(0, 600);
  for (let from = 0; from < 600; from += 200) {
    const batch = { shard: from / 200, id: 'a1', events: all.slice(from, from + 200) };
    await sink.write(batch, never);
    // A reply was lost, and then the shard changed hands.
    await sink.write(batch, never);
    await sink.write({ ...batch, id: 'b2' }, never);
  }
  const sums = sumsOf(all);
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(sums);
  expect((await readLakeDay(store, DAY)).live).toHaveLength(18);

  expect(await compactDay(store, DAY, Date.now())).toEqual({ before: 18, after: 3, removed: 0 });
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(sums);
  const later = Date.now() + KEPT_MS;
  // Late hits are in a file of each hour, until the next run.
  await sink.write({ shard: 0, id: 'late', events: eventsFrom(600, 30) }, never);
  expect(await compactDay(store, DAY, later)).toEqual({ before: 6, after: 3, removed: 18 });
  const withLate = sumsOf(eventsFrom(0, 630));
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(withLate);

  // An hour is replaced by what Postgres has: an event that it does not have is gone.
  const hour = `${DAY}T13`;
  const ofHour = eventsFrom(0, 630).filter(({ counted_at }) => counted_at.toISOString().startsWith(hour));
  const pages = async function* () {
    yield ofHour.slice(0, 50);
    yield ofHour.slice(50);
  };
  await sink.write({ shard: 1, id: 'wrong', events: [{ ...nthEvent(1), event_id: 'no hit' }] }, never);
  await sink.replaceHour!({ day: DAY, hour }, pages(), never);
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(withLate);
  expect((await sink.count!(DAY, 'hour', never)).map(({ group }) => group)).toContain(hour);

  expect(await sink.forget!(['user-7', 'user-1'], never)).toBe(20);
  expect(await sink.forget!(['user-7', 'user-1'], never)).toBe(0);
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(withLate);
  expect(await lakeDays(store)).toEqual([DAY]);
  if (kind === 'folder') expect(await asked(folder)).toEqual(withLate);
  store.close();
  await sink.close();
});

test('a reader finds whole files only while writers are killed, and afterwards every event that was acknowledged', async () => {
  const folder = temporaryFolder();
  const size = 100;
  let next = 0;
  for (let kill = 0; kill < 3; kill++) {
    const program = path.join(__dirname, 'write-lake.ts');
    const from = next;
    const writer = await startProcess({
      command: [process.execPath, '--import', 'tsx', program, `file://${folder}?gather=0`, String(from), String(size)],
    });
    const acknowledged = (): number => Number(writer.output().trim().split('\n').at(-1) || from - 1);
    await untilTrue(() => acknowledged() >= from + 3, 120_000);
    // A file of which half is visible would be an error here.
    await asked(folder);
    await sleep(kill * 7);
    await writer.end('SIGKILL');
    next = acknowledged() + 1;
  }
  // The last batch of each writer may be there without having been acknowledged: it is sent again, as the drain does.
  const sink = await open(`file://${folder}?gather=0`);
  for (let batch = 0; batch < 4; batch++)
    await sink.write({ shard: batch, id: `end-${batch}`, events: eventsFrom((next + batch) * size, size) }, never);
  const sums = sumsOf(eventsFrom(0, (next + 4) * size));
  expect(await asked(folder)).toEqual(sums);
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(sums);
  expect(readdirSync(path.join(folder, 'events', `dt=${DAY}`)).sort()).toEqual(['hour=12', 'hour=13', 'hour=14']);
});

test('an event that cannot be written is refused, and a store that is away is not: its events wait', async () => {
  const sink = await open(fileUrl(temporaryFolder()));
  const poison = { ...nthEvent(1), kind: null as unknown as string };
  await expect(sink.write({ shard: 0, id: 'a', events: [poison] }, never)).rejects.toThrow(SinkRefusal);
  const away = await open(s3Url('x').replace(/:\d+&gather/, ':1&gather'));
  const failed = await away.write({ shard: 0, id: 'a', events: [nthEvent(1)] }, never).catch((fault: unknown) => fault);
  expect(failed).toBeInstanceOf(Error);
  expect(failed).not.toBeInstanceOf(SinkRefusal);
  await away.close();
});

test('the events of a bucket that refuses wait until it takes them', async () => {
  const sink = await open(s3Url('refused'));
  await bucket.refuse();
  const refused = await sink.write({ shard: 0, id: 'a', events: eventsFrom(0, 20) }, never).catch((fault: unknown) => fault);
  expect(refused).toMatchObject({ name: 'AccessDenied', message: 'Access Denied' });
  await bucket.admit();
  await sink.write({ shard: 0, id: 'a', events: eventsFrom(0, 20) }, never);
  expect(counted(await sink.count!(DAY, 'line_item_id', never))).toEqual(sumsOf(eventsFrom(0, 20)));
  await sink.close();
});

test('a write with few events waits for more, and ends with its signal', async () => {
  const folder = temporaryFolder();
  const sink = await open(`file://${folder}?gather=30`);
  const left = new AbortController();
  const waiting = sink.write({ shard: 0, id: 'a', events: [nthEvent(1)] }, left.signal);
  left.abort(new Error('the replica stops'));
  await expect(waiting).rejects.toThrow('the replica stops');
  expect(readdirSync(folder)).toEqual([]);
});
