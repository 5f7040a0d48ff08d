import { mkdir, open, readdir } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { groupBy } from '../../../base/group-by.ts';
import { parseJson } from '../../../base/parse-json.ts';
import { hourOf } from '../read-entries.ts';
import type { EventSink, OpenSink, SinkCount, SinkEvent, SinkGroup } from '../event-sink.ts';

const MAX_EVENTS = 5_000;

/** `file:///folder`: a lake of Parquet files; with `?format=ndjson` a folder of each day with a file of lines for each shard and replica. */
export const openFileSink: OpenSink = async (options) => {
  const format = options.url.searchParams.get('format') ?? 'parquet';
  if (format === 'parquet') return (await import('../lake/open-lake.ts')).openLake(options);
  if (format !== 'ndjson') throw new Error('format of a file sink is parquet or ndjson.');
  const folder = fileURLToPath(`file://${options.url.pathname}`);
  await mkdir(folder, { recursive: true });
  return createNdjsonSink(options.name, options.replica, folder);
};

/**
 * Appends events to files of lines, each a JSON object, synchronized before a write resolves. A line that a crash cut off is repeated
 * whole in another file. Readers remove repeated events. Nothing is changed in place: a user cannot be taken out.
 */
const createNdjsonSink = (name: string, replica: string, folder: string): EventSink => {
  const appendNow = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await open(file, 'a');
    try {
      const { size } = await handle.stat();
      try {
        await handle.appendFile(text);
        await handle.sync();
      } catch (fault) {
        // The part of a line that a full disk took would spoil the line after it.
        await handle.truncate(size);
        throw fault;
      }
    } finally {
      await handle.close();
    }
  };
  /** The last append to each file: one at a time, so that none is in the part that another takes back. */
  const last = new Map<string, Promise<void>>();
  const append = (file: string, text: string): Promise<void> => {
    const done = (last.get(file) ?? Promise.resolve()).catch(() => undefined).then(() => appendNow(file, text));
    last.set(file, done);
    const forget = (): boolean => last.get(file) === done && last.delete(file);
    done.then(forget, forget);
    return done;
  };
  return {
    name,
    maxEvents: MAX_EVENTS,
    write: async ({ shard, events }, signal) => {
      signal.throwIfAborted();
      const lines = new Map<string, string>();
      for (const event of events) {
        const file = path.join(folder, `day=${event.day}`, `${shard ?? 'replayed'}-${replica}.ndjson`);
        lines.set(file, `${lines.get(file) ?? ''}${JSON.stringify(event)}\n`);
      }
      for (const [file, text] of lines) await append(file, text);
    },
    writeDecisions: async (rows, signal) => {
      for (const [day, some] of groupBy(rows, (row) => row.day)) {
        signal.throwIfAborted();
        const lines = some.map((row) => `${JSON.stringify(row)}\n`).join('');
        await append(path.join(folder, 'decisions', `day=${day}`, `${replica}.ndjson`), lines);
      }
    },
    count: async (day, by, signal) => sum(await readDay(path.join(folder, `day=${day}`), signal), by),
    close: () => Promise.resolve(),
  };
};

type Line = Pick<SinkEvent, 'event_id' | 'version' | 'line_item_id' | 'kind' | 'state' | 'billed_micros'> & { readonly counted_at: string };

/** The events of a folder without the repeated ones. */
const readDay = async (folder: string, signal: AbortSignal): Promise<readonly Line[]> => {
  const found = new Map<string, Line>();
  for (const file of await readdir(folder).catch(() => [])) {
    for await (const text of createInterface({ input: createReadStream(path.join(folder, file), { signal }) })) {
      // undefined: it was cut off.
      const line = parseJson(text) as Line | undefined;
      if (line && (found.get(line.event_id)?.version ?? -1) < line.version) found.set(line.event_id, line);
    }
  }
  return [...found.values()];
};

const sum = (events: readonly Line[], by: SinkGroup): readonly SinkCount[] => {
  const sums = new Map<string, { group: string; kind: string; state: string; events: number; micros: number }>();
  for (const { line_item_id, counted_at, kind, state, billed_micros } of events) {
    const group = by === 'hour' ? hourOf(Date.parse(counted_at)) : String(line_item_id);
    const key = [group, kind, state].join(' ');
    const one = sums.get(key) ?? { group, kind, state, events: 0, micros: 0 };
    one.events++;
    one.micros += billed_micros;
    sums.set(key, one);
  }
  return [...sums.values()];
};
