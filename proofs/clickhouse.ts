import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clickHouseSchema } from '../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { openClickHouse } from '../src/events/sinks/clickhouse/clickhouse-client.ts';
import { openClickHouseSink } from '../src/events/sinks/clickhouse/clickhouse-sink.ts';
import { SinkRefusal, type SinkCount } from '../src/events/sinks/event-sink.ts';
import { startClickHouse } from '../testkit/start-clickhouse.ts';
import { eventsFrom, nthEvent, sumsOf } from '../testkit/sink-events.ts';
import type { Proof } from './rig/proof.ts';

const KEEP_DAYS = 4_000;
const DAY = '2026-06-15';
const BATCH = 5_000;
/** Below what an insert is gathered from. */
const SMALL_BATCH = 100;

const byKey = (counts: readonly SinkCount[]): ReturnType<typeof sumsOf> =>
  Object.fromEntries(
    counts
      .map(({ group, kind, state, events, micros }) => [`${group} ${kind} ${state}`, [events, micros]] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The engine of ClickHouse is chDB's, which runs in a process of Python: no server of ClickHouse can be had from a registry of packages. */
export const clickHouse: Proof = {
  name: 'clickhouse',
  needs: 'Python',
  claim:
    'the engine of ClickHouse (chDB 4.4, `pip install chdb`; CLICKHOUSE_PYTHON names its Python) takes the tables and the inserts of the sink',
  expected: 'each event once, to the micro, after batches that came twice, in other batches, and as judgements',
  run: async (_, scale) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'clickhouse-'));
    const engine = await startClickHouse(folder);
    try {
      const url = new URL(`${engine.url}?user_hash=true`);
      const { client, table } = await openClickHouse(url);
      // A release makes what is new once more.
      for (const query of [...clickHouseSchema(table, KEEP_DAYS), ...clickHouseSchema(table, KEEP_DAYS)]) await client.command({ query });
      const sink = await openClickHouseSink({ name: 'clickhouse', url, keepsUserHash: true, replica: 'proof', onNotice: () => undefined });
      const { signal } = new AbortController();
      const count = scale.of(500_000, 50_000);
      const begun = performance.now();
      for (let from = 0; from < count; from += BATCH) {
        const batch = { shard: 0, id: `a${from}`, events: eventsFrom(from, BATCH) };
        await sink.write(batch, signal);
        await sink.write(batch, signal);
        await sink.write({ shard: 1, id: `b${from}`, events: eventsFrom(from, SMALL_BATCH) }, signal);
      }
      const seconds = (performance.now() - begun) / 1000;
      const wanted = sumsOf(eventsFrom(0, count));
      const found = byKey(await sink.count!(DAY, 'line_item_id', signal));
      const poison = await sink
        .write({ shard: 0, id: 'x', events: [{ ...nthEvent(1), day: 'never' }] }, signal)
        .catch((fault: unknown) => fault);
      const [forgotten, again] = [await sink.forget!(['user-7', `it's`], signal), await sink.forget!(['user-7'], signal)];
      const afterwards = byKey(await sink.count!(DAY, 'line_item_id', signal));
      const views = await client.query({ query: `select sum(billed_micros) as micros from ${table}_days`, format: 'JSONEachRow' });
      const [sums] = await views.json<{ readonly micros: string }>();
      const micros = Object.values(wanted).reduce((sum, [, part]) => sum + part, 0);
      await Promise.all([sink.close(), client.close()]);
      const ok =
        isEqual(found, wanted) &&
        isEqual(afterwards, wanted) &&
        poison instanceof SinkRefusal &&
        forgotten > 0 &&
        again === 0 &&
        Number(sums?.micros) === micros;
      const events = Object.values(found).reduce((sum, [part]) => sum + part, 0);
      return {
        observed: `${events} events of ${count} hits, ${sums?.micros} of ${micros} micros; ${forgotten} rows forgot a user, then ${again}; ${Math.round((2 * count) / seconds)} rows a second`,
        ok,
      };
    } finally {
      await engine.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
