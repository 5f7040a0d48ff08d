import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDeadEvents } from '../../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../../src/events/postgres/event-store.ts';
import { SinkRefusal, type EventSink } from '../../../src/events/sinks/event-sink.ts';
import { openFileSink } from '../../../src/events/sinks/file/file-sink.ts';
import { replayHour } from '../../../src/events/sinks/replay-hour.ts';
import { handAgain } from '../../../src/events/sinks/report-sinks.ts';
import { createSinkAges, createSinkLags } from '../../../src/events/sinks/sink-lags.ts';
import { createReadUnnamedSinks } from '../../../src/events/sinks/unnamed-sinks.ts';
import { sumsOf, eventsFrom } from '../../../testkit/sink-events.ts';
import { PATIENCE_MS, untilTrue } from '../../../testkit/until.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { eventOf, fieldsOf, NOON } from '../events.ts';
import { agrees, DAY, fileSink, held, hits, knex, link, redis, refusingPoison, signal, startRig } from './sink-rig.ts';

const HOUR_S = 3_600;
const day = Date.parse(DAY) / 86_400_000;

test('a sink that was away for an hour is an hour behind in the metrics, and gets the events of the hour when it is back', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  let isAway = true;
  rig.drain([{ ...file, write: (...args) => (isAway ? Promise.reject(new Error('away')) : file.write(...args)) }], { maxRetryMs: 50 });
  const beganMs = Date.now() - HOUR_S * 1000;
  for (const [minute, event] of hits(60).entries())
    await redis.xadd(rig.keys.events(0), `${beganMs + minute * 60_000}-0`, ...fieldsOf(event));
  const lags = createSinkLags(createSinkAges({ redis: redis as never, link, keys: rig.keys }), ['file']);
  expect((await lags())['file']).toBeGreaterThanOrEqual(HOUR_S);
  isAway = false;
  expect(await untilTrue(() => agrees(file, 60), PATIENCE_MS, 20)).toBeDefined();
  expect(await untilTrue(async () => (await lags())['file'] === 0 && (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
});

test('a sink that refuses every event has another schema: after ten dead events the others wait, and arrive when it takes them', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  let isChanged = true;
  const faults: string[] = [];
  const changed: EventSink = {
    ...file,
    write: (...args) => (isChanged ? Promise.reject(new SinkRefusal('no such column')) : file.write(...args)),
  };
  await rig.add(...hits(200));
  rig.drain([changed], { maxRetryMs: 50, onFailure: (_sink, { message }) => void faults.push(message) });
  expect(await untilTrue(() => faults.length > 2, PATIENCE_MS, 20)).toBeDefined();
  expect(new Set(faults)).toEqual(new Set(['it refuses every event, as if its schema had changed: no such column']));
  expect(await createDeadEvents({ knex }).count()).toBe(10);
  isChanged = false;
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  // The ten may be written too: they were refused once, and nothing of the batch was noted.
  expect(await agrees(file, 200)).toBe(true);
});

test('ten poison events in a row are not a change of the schema: the event after them is tried', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  const picky = refusingPoison(file);
  const poison = Array.from({ length: 15 }, () => eventOf({ placementId: 'poison', lineItemId: 9 }));
  await rig.add(...poison, ...hits(20));
  rig.drain([picky]);
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  expect(await createDeadEvents({ knex }).count()).toBe(15);
  expect((await held(file)).reduce((sum, one) => sum + Number(one.split(' ').at(-2)), 0)).toBe(20);
});

test('of an hour that is handed again, an event that the sink refuses keeps no other from it', async () => {
  const file = await fileSink();
  const picky: EventSink = {
    ...file,
    write: (batch, write) =>
      batch.events.some(({ line_item_id }) => line_item_id === 9) ? Promise.reject(new SinkRefusal('too long')) : file.write(batch, write),
  };
  await createEventStore({ knex }).append([...hits(8), eventOf({ lineItemId: 9 })]);
  expect(await replayHour(knex, { sink: picky, keepsUserHash: false }, { day: DAY, hour: `${DAY}T12` }, signal)).toBe(8);
  expect((await held(file)).filter((one) => one.startsWith('9 '))).toEqual([]);
});

test('days are handed to one sink again, also to one that cannot be read, and readers find each event once', async () => {
  const rig = startRig(['file']);
  const file = await fileSink();
  rig.drain([file]);
  await rig.add(...hits(9), eventOf({}, {}, NOON + 3_600_000));
  expect(await untilTrue(() => agrees(file, 10), PATIENCE_MS, 20)).toBeDefined();
  const { count: _, ...unreadable } = file;
  const said: string[] = [];
  for await (const line of handAgain(knex, { sink: unreadable, keepsUserHash: false }, [day - 1, day])) said.push(line);
  expect(said).toEqual([`sink file, ${DAY}: 2 hours were handed to it again: 10 events`]);
  expect(await agrees(file, 10)).toBe(true);
});

test('a replica finds the sinks of others that its own SINKS lacks, and whether they are handed events now', async () => {
  const rig = startRig(['file'], 4);
  const drain = rig.drain([await fileSink()]);
  await rig.add(...hits(8));
  expect(await untilTrue(async () => (await rig.waiting()) === 0, PATIENCE_MS, 20)).toBeDefined();
  const begunMs = Date.now() - 60_000;
  const unnamed = (names: readonly string[], nowMs = Date.now()) =>
    createReadUnnamedSinks({ redis: redis as never, link, keys: rig.keys, names })(nowMs);
  expect(await unnamed(['file'])).toEqual([]);
  const [found, ...others] = await unnamed(['other']);
  expect([found?.name, found?.isServed, found!.lastMs > begunMs, others]).toEqual(['file', true, true, []]);
  await drain.stop();
  expect(await unnamed([])).toEqual([{ ...found, isServed: false }]);
  // One that was left out weeks ago is left out on purpose.
  expect(await unnamed([], Date.now() + 8 * 86_400_000)).toEqual([]);
});

test('lines that a full disk cut off are taken back: each event is there once it has room', async () => {
  const folder = temporaryFolder();
  const url = `file://${folder}?format=ndjson`;
  const [batches, size] = [4, 60];
  const program = [path.join(__dirname, 'write-until-full.ts'), url, String(batches), String(size)];
  // In the middle of a line.
  const { stdout } = await promisify(execFile)('prlimit', ['--fsize=50001:unlimited', process.execPath, '--import', 'tsx', ...program]);
  expect(stdout).toMatch(/^EFBIG at [1-3]\n$/);
  const texts = readFileSync(path.join(folder, `day=${DAY}`, '0-writer.ndjson'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(texts).toHaveLength(batches * size);
  const sink = await openFileSink({ name: 'lines', url: new URL(url), keepsUserHash: false, replica: 'reader', onNotice: () => undefined });
  const counts = await sink.count!(DAY, 'line_item_id', signal);
  const events = Object.values(sumsOf(eventsFrom(0, batches * size))).reduce((sum, [some]) => sum + some, 0);
  expect(counts.reduce((sum, one) => sum + one.events, 0)).toBe(events);
});
