import { randomUUID } from 'node:crypto';
import { groupBy } from '../../../base/group-by.ts';
import { MS_PER_HOUR } from '../../../base/utc-day.ts';
import { EVENT_COLUMN_NAMES, DEFAULT_EVENT_COLUMNS } from '../../export/event-columns.ts';
import type { SinkEvent } from '../event-sink.ts';
import { LARGE_GROUP, MAX_ROWS, readLakeFile, withoutRepeats, writeLakeFile } from './lake-files.ts';
import { readLakeDay, writeManifest, type LakeDay, type LakeFile, type Manifest } from './lake-log.ts';
import type { LakeStore } from './lake-store.ts';

/** A file that was replaced is kept for so long, for readers that know its name. */
export const KEPT_MS = MS_PER_HOUR;

export interface Compacted {
  /** The files that have the events of the day, before and afterwards. */
  readonly before: number;
  readonly after: number;
  /** Replaced files that were removed. */
  readonly removed: number;
}

/** Files of one hour that make one together, each list with two at least. */
const groupsOf = (files: readonly LakeFile[]): readonly (readonly LakeFile[])[] => {
  const groups: LakeFile[][] = [];
  for (const ofHour of groupBy(files, ({ hour }) => hour).values()) {
    let group: LakeFile[] = [];
    let rows = 0;
    for (const file of ofHour.filter((one) => one.rows < MAX_ROWS / 2)) {
      if (rows + file.rows > MAX_ROWS) {
        groups.push(group);
        [group, rows] = [[], 0];
      }
      group.push(file);
      rows += file.rows;
    }
    groups.push(group);
  }
  return groups.filter(({ length }) => length > 1);
};

/**
 * Writes the small files of each hour of a day again as few files, sorted and without repeated events. Hits that come late are in
 * files of their own, and in these after the next run. Two runs at a time, or one beside `forget`, may leave events twice.
 */
export const compactDay = async (store: LakeStore, day: string, nowMs: number): Promise<Compacted> => {
  const found = await readLakeDay(store, day);
  for (const group of groupsOf(found.live)) {
    const events: SinkEvent[] = [];
    for (const { name } of group) for (const event of await readLakeFile(store, name, EVENT_COLUMN_NAMES)) events.push(event);
    const id = `compact-${randomUUID()}`;
    const columns = events.some(({ user_hash }) => user_hash !== null) ? EVENT_COLUMN_NAMES : DEFAULT_EVENT_COLUMNS;
    const hour = group[0]?.hour ?? '';
    const file = await writeLakeFile(store, { day, hour }, withoutRepeats(events), { columns, groupRows: LARGE_GROUP, id });
    const replaces = group.map(({ name }) => name);
    // A user who was forgotten meanwhile must not come back.
    const live = new Set((await readLakeDay(store, day)).live.map(({ name }) => name));
    if (!replaces.every((name) => live.has(name))) await store.remove([file.name]);
    else await writeManifest(store, id, { day, written_at: new Date(nowMs).toISOString(), files: [file], replaces });
  }
  const removed = await removeReplaced(store, found, nowMs);
  return { before: found.live.length, after: (await readLakeDay(store, day)).live.length, removed };
};

/** Removes files that were replaced before, and then the manifests that name nothing else. */
const removeReplaced = async (store: LakeStore, { manifests }: LakeDay, nowMs: number): Promise<number> => {
  const old = [...manifests.values()].filter(({ written_at }) => nowMs - Date.parse(written_at) >= KEPT_MS);
  const names = [...new Set(old.flatMap(({ replaces }) => replaces))];
  await store.remove(names);
  const gone = new Set(names);
  const named = new Set([...manifests.values()].flatMap(({ files }) => files.map(({ name }) => name)));
  // A manifest that replaces a file outlives those that name it, or the file would count again.
  const isOver = ({ files, replaces }: Manifest): boolean =>
    files.length > 0 && files.every(({ name }) => gone.has(name)) && !replaces.some((name) => named.has(name));
  await store.remove([...manifests].filter(([, manifest]) => isOver(manifest)).map(([name]) => name));
  return names.filter((name) => named.has(name)).length;
};
