import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultStateDir } from '../src/config/default-state-dir.ts';
import { startEmbeddedPostgres, type EmbeddedPostgresOptions, type EmbeddedStore } from '../src/embedded/start-embedded-postgres.ts';
import { startEmbeddedRedis, type EmbeddedRedisOptions } from '../src/embedded/start-embedded-redis.ts';

/** Servers of one run, with their data in a folder that ends with it. */
export interface PrivateStores {
  readonly folder: string;
  startPostgres(options?: Pick<EmbeddedPostgresOptions, 'durable' | 'binaries'>): Promise<EmbeddedStore>;
  /** @param subfolder of its data, relative to `folder`; two servers need two */
  startRedis(subfolder?: string, options?: Pick<EmbeddedRedisOptions, 'durable' | 'port'>): Promise<EmbeddedStore>;
  /** Stops every server that was started here and deletes the folder. Stopping a server twice is harmless. */
  stop(): Promise<void>;
}

/**
 * @param purpose part of the folder's name
 * @param parent of the folder
 */
export const openPrivateStores = async (purpose: string, parent = tmpdir()): Promise<PrivateStores> => {
  await removeAbandoned(parent);
  const folder = await mkdtemp(path.join(parent, `ad-server-${purpose}-of-${process.pid}-`));
  // The servers run under an account of their own when this process is root.
  await chmod(folder, 0o755);
  const stores: EmbeddedStore[] = [];
  const keep = async (starting: Promise<EmbeddedStore>): Promise<EmbeddedStore> => {
    const store = await starting;
    stores.push(store);
    return store;
  };
  return {
    folder,
    startPostgres: (options) => keep(startEmbeddedPostgres({ stateDir: folder, binariesDir: defaultStateDir(process.env), ...options })),
    startRedis: (subfolder = '', options = {}) => keep(startEmbeddedRedis({ stateDir: path.join(folder, subfolder), ...options })),
    stop: async () => {
      await Promise.all(stores.map((store) => store.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const OWNER = /^ad-server-.+-of-(\d+)-\w+$/;

/** Deletes the folders of runs that were killed, whose servers have ended with them: up to a gigabyte, which may be memory. */
const removeAbandoned = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    const owner = OWNER.exec(name)?.[1];
    const folder = path.join(parent, name);
    if (owner !== undefined && !isRunning(Number(owner)) && (await isOurs(folder)))
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // It runs, under another account.
  }
};

/** Another run may delete it meanwhile. */
const isOurs = (folder: string): Promise<boolean> =>
  stat(folder).then(
    ({ uid }) => uid === process.getuid?.(),
    () => false,
  );
