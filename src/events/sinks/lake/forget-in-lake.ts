import { randomUUID } from 'node:crypto';
import { EVENT_COLUMN_NAMES } from '../../export/event-columns.ts';
import { LARGE_GROUP, readLakeFile, writeLakeFile } from './lake-files.ts';
import { lakeDays, readLakeDay, writeManifest } from './lake-log.ts';
import type { LakeStore } from './lake-store.ts';

/** Writes every file in which one of these users is again without them, and removes it. Resolves to the number of rows. */
export const forgetInLake = async (store: LakeStore, userHashes: readonly string[], signal: AbortSignal): Promise<number> => {
  const forgotten = new Set(userHashes);
  const isOne = ({ user_hash }: { readonly user_hash: string | null }): boolean => user_hash !== null && forgotten.has(user_hash);
  let rows = 0;
  for (const day of await lakeDays(store, signal)) {
    const { manifests, live } = await readLakeDay(store, day, signal);
    // Files that were replaced are kept for a while: these go now, with the users in them.
    const replaced = new Set([...manifests.values()].flatMap(({ replaces }) => replaces));
    if (replaced.size > 0) await store.remove([...replaced], signal);
    for (const { name, hour } of live) {
      if (!(await readLakeFile(store, name, ['user_hash'], signal)).some(isOne)) continue;
      const events = await readLakeFile(store, name, EVENT_COLUMN_NAMES, signal);
      const changed = events.map((event) => (isOne(event) ? { ...event, user_hash: null } : event));
      rows += events.filter(isOne).length;
      const id = `forgot-${randomUUID()}`;
      const file = await writeLakeFile(store, { day, hour }, changed, { columns: EVENT_COLUMN_NAMES, groupRows: LARGE_GROUP, id }, signal);
      await writeManifest(store, id, { day, written_at: new Date().toISOString(), files: [file], replaces: [name] }, signal);
      await store.remove([name], signal);
    }
  }
  return rows;
};
