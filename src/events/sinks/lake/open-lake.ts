import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { groupBy } from '../../../base/group-by.ts';
import type { OpenSink, SinkBatch, SinkEvent } from '../event-sink.ts';
import { countLake } from './count-lake.ts';
import { createFolderStore } from './folder-store.ts';
import { forgetInLake } from './forget-in-lake.ts';
import { hourOf, lakeColumns, LARGE_GROUP, MAX_ROWS, SMALL_GROUP, writeLakeFile } from './lake-files.ts';
import { readLakeDay, writeManifest, type LakeFile } from './lake-log.ts';
import type { LakeStore } from './lake-store.ts';
import { createS3Store } from './s3-store.ts';
import { writeLakeDecisions } from './write-lake-decisions.ts';

/** Events of one write. */
const MAX_EVENTS = 10_000;
/** `?gather=<seconds>`: a write with few events waits for so long at most, so that files are few. */
const GATHER_S = 60;
/** A write has two minutes (sink-drain.ts). */
const MAX_GATHER_S = 90;

/** The store of a lake's URL: `file:///folder` or `s3://bucket/prefix`. Throws when it is neither. */
export const openLakeStore = async (url: URL): Promise<LakeStore> => {
  if (url.protocol === 's3:') return createS3Store(url);
  if (url.protocol !== 'file:') throw new Error('a lake is file:///folder or s3://bucket/prefix');
  // fileURLToPath refuses a URL with a query.
  return createFolderStore(fileURLToPath(`file://${url.host}${url.pathname}`));
};

const readGatherMs = (url: URL): number => {
  const text = url.searchParams.get('gather') ?? String(GATHER_S);
  if (!/^\d{1,2}$/.test(text) || Number(text) > MAX_GATHER_S) throw new Error(`gather must be 0 to ${MAX_GATHER_S} seconds`);
  return Number(text) * 1000;
};

/**
 * A lake of Parquet files: `events/dt=YYYY-MM-DD/hour=HH/part-….parquet` by `day` and the UTC hour of `counted_at`, and a
 * manifest for each write and day, which is written last. See docs/sinks/lake.md.
 *
 * What waits for a file waits in Redis: a write with few events resolves later, and the next one has what came meanwhile.
 * It waits for `gather`, and no longer than a full write takes to come in, so no more than about two full writes of a shard wait.
 */
export const openLake: OpenSink = async ({ name, url, keepsUserHash }) => {
  const store = await openLakeStore(url);
  const gatherMs = readGatherMs(url);
  const columns = lakeColumns(keepsUserHash);
  const closed = new AbortController();
  /** When the last write of each shard began, and how many events it had. */
  const before = new Map<number, { readonly atMs: number; readonly events: number }>();

  const gather = async ({ shard, events }: SinkBatch, signal: AbortSignal): Promise<void> => {
    if (shard === undefined || events.length >= MAX_EVENTS / 2) return;
    const nowMs = Date.now();
    const { atMs, events: last } = before.get(shard) ?? { atMs: nowMs - gatherMs, events: 0 };
    before.set(shard, { atMs: nowMs, events: events.length });
    const fullInMs = (MAX_EVENTS * (nowMs - atMs)) / Math.max(events.length, last, 1);
    await setTimeout(Math.min(gatherMs, fullInMs), undefined, { signal: AbortSignal.any([signal, closed.signal]) }).catch(() => undefined);
    signal.throwIfAborted();
  };

  const commit = async (id: string, events: readonly SinkEvent[], signal: AbortSignal): Promise<void> => {
    for (const [day, ofDay] of groupBy(events, (event) => event.day)) {
      const files: LakeFile[] = [];
      for (const [hour, ofHour] of groupBy(ofDay, hourOf))
        files.push(await writeLakeFile(store, { day, hour }, ofHour, { columns, groupRows: SMALL_GROUP, id }, signal));
      await writeManifest(store, id, { day, written_at: new Date().toISOString(), files, replaces: [] }, signal);
    }
  };

  return {
    name,
    maxEvents: MAX_EVENTS,
    write: async (batch, signal) => {
      if (batch.events.length === 0) return;
      await gather(batch, signal);
      await commit(`${batch.shard ?? 'read'}-${batch.id}`, batch.events, signal);
    },
    count: (day, by, signal) => countLake(store, day, by, signal),
    replaceHour: async ({ day, hour }, pages, signal) => {
      const replaced = (await readLakeDay(store, day, signal)).live.filter((file) => file.hour === hour).map((file) => file.name);
      const id = `again-${randomUUID()}`;
      const files: LakeFile[] = [];
      let waiting: SinkEvent[] = [];
      const flush = async (): Promise<void> => {
        if (waiting.length === 0) return;
        files.push(
          await writeLakeFile(store, { day, hour }, waiting, { columns, groupRows: LARGE_GROUP, id: `${id}-${files.length}` }, signal),
        );
        waiting = [];
      };
      for await (const page of pages) {
        waiting.push(...page);
        if (waiting.length >= MAX_ROWS) await flush();
      }
      await flush();
      if (files.length + replaced.length === 0) return;
      await writeManifest(store, id, { day, written_at: new Date().toISOString(), files, replaces: replaced }, signal);
      // What the sink had was wrong: no reader should find it.
      await store.remove(replaced, signal);
    },
    writeDecisions: (rows, signal) => writeLakeDecisions(store, rows, signal),
    forget: (userHashes, signal) => forgetInLake(store, userHashes, signal),
    close: async () => {
      closed.abort();
      store.close();
    },
  };
};
