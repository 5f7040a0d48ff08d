import { LakeFileGone, type LakeStore } from './lake-store.ts';

/** A file of events of one day and hour. */
export interface LakeFile {
  readonly name: string;
  /** Of `counted_at`, UTC: YYYY-MM-DDTHH. */
  readonly hour: string;
  readonly rows: number;
  readonly bytes: number;
  /** Sum of `billed_micros`, of repeated events too. */
  readonly billed_micros: number;
}

/** What one write did to a day (column `day`). It is written after its files, which count from then on. */
export interface Manifest {
  readonly day: string;
  /** RFC 3339. */
  readonly written_at: string;
  readonly files: readonly LakeFile[];
  /** Names of files that no longer count: `files` have their events. */
  readonly replaces: readonly string[];
}

/** Above the files of events and above the manifests of every day. */
export const EVENTS_FOLDER = 'events';
const MANIFESTS_FOLDER = 'manifests';
const manifestsOf = (day: string): string => `${MANIFESTS_FOLDER}/dt=${day}`;

/** @param id unique to the write; the same when it is repeated */
export const writeManifest = (store: LakeStore, id: string, manifest: Manifest, signal?: AbortSignal): Promise<void> =>
  store.put(`${manifestsOf(manifest.day)}/${id}.json`, Buffer.from(JSON.stringify(manifest)), signal);

export interface LakeDay {
  /** By their names. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** The files that have the events of the day, in the order of their names. */
  readonly live: readonly LakeFile[];
}

/** All manifests of a day. Files that appear meanwhile may be missing; those that were there are not. */
export const readLakeDay = async (store: LakeStore, day: string, signal?: AbortSignal): Promise<LakeDay> => {
  const manifests = new Map<string, Manifest>();
  for (const name of await store.list(manifestsOf(day), signal)) {
    try {
      manifests.set(name, JSON.parse(Buffer.from(await store.get(name, signal)).toString()) as Manifest);
    } catch (fault) {
      // Compaction removed it, after it had written one that replaces its files: that one may be missing here.
      if (fault instanceof LakeFileGone) return readLakeDay(store, day, signal);
      throw fault;
    }
  }
  const all = [...manifests.values()];
  const replaced = new Set(all.flatMap(({ replaces }) => replaces));
  const live = new Map(all.flatMap(({ files }) => files).map((file) => [file.name, file]));
  return { manifests, live: [...live.values()].filter(({ name }) => !replaced.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1)) };
};

/** Every day of which the lake has a manifest, the first one first: YYYY-MM-DD. */
export const lakeDays = async (store: LakeStore, signal?: AbortSignal): Promise<readonly string[]> => {
  const days = (await store.list(MANIFESTS_FOLDER, signal)).flatMap((name) => /\/dt=(\d{4}-\d{2}-\d{2})\//.exec(name)?.[1] ?? []);
  return [...new Set(days)].sort();
};
