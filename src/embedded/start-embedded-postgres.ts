import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { PORT_TAKEN, spawnStore } from './spawn-store.ts';
import { becomeArguments, makePrivateFolder, storeAccount, writePrivateFile, type StoreAccount } from './store-folder.ts';

export interface EmbeddedPostgresOptions {
  /**
   * Parent of the data folder `postgres/` and, unless `binariesDir` is given, of the binaries.
   * Created if missing.
   */
  readonly stateDir: string;
  /** Folder for the copy of the binaries: several state folders can share one copy of 60 MB. */
  readonly binariesDir?: string;
  /** An installation to use instead of the one that is found. */
  readonly binaries?: PostgresBinaries;
  /** Required of every client. undefined: any local process has full access, for tests. */
  readonly password?: string;
  /** false: no fsync, for tests; a power failure may then lose or corrupt data. Default true. */
  readonly durable?: boolean;
}

export interface EmbeddedStore {
  readonly url: string;
  stop(): Promise<void>;
}

const DATABASE = 'ad_server';
const UNSAFE_AND_FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];

/**
 * Starts a private Postgres on a free port of 127.0.0.1, with its data in the state folder, where
 * the next start finds it. For development, demonstration and tests.
 *
 * @throws when another service uses the data, or Postgres is missing or does not start; the message
 *    says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedStore> {
  const { stateDir, binariesDir = stateDir, durable = true, password } = options;
  const { binaries = await postgresBinaries(binariesDir) } = options;
  const folder = path.join(stateDir, 'postgres');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const data = path.join(folder, `data-${binaries.major}`);
  const account = await storeAccount(data);
  if (!existsSync(data)) await initialise({ binaries, data, account, durable, password });

  for (let attempt = 1; attempt <= 5; attempt++) {
    const port = await freePort();
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
    const store = await spawnStore({
      name: 'Postgres',
      folder,
      account,
      command: path.join(binaries.bin, 'postgres'),
      args: ['-D', data, ...[...settings, ...(durable ? [] : UNSAFE_AND_FAST)].flatMap((setting) => ['-c', setting])],
      stopSignal: 'SIGINT',
      isReady: (pid) => postmasterIsReady(data, pid),
    });
    if (store === PORT_TAKEN) continue;
    const server = `postgres://ad_server${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}`;
    await createDatabaseOnce(server);
    return { url: `${server}/${DATABASE}`, stop: store.stop };
  }
  throw new Error('Postgres could not bind a port of 127.0.0.1 in five attempts.');
}

interface NewCluster {
  readonly binaries: PostgresBinaries;
  readonly data: string;
  readonly account: StoreAccount | null;
  readonly durable: boolean;
  readonly password: string | undefined;
}

/**
 * The folder is renamed only when complete, so that an interrupted initdb leaves nothing that looks
 * like data.
 */
async function initialise({ binaries, data, account, durable, password }: NewCluster): Promise<void> {
  const unfinished = `${data}.init-${process.pid}`;
  const passwordFile = `${unfinished}.password`;
  const options = [
    '--username=ad_server',
    ...(password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]),
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  const initdb = [path.join(binaries.bin, 'initdb'), ...options, '-D', unfinished];
  await rm(unfinished, { recursive: true, force: true });
  try {
    await makePrivateFolder(unfinished, account);
    if (password !== undefined) await writePrivateFile(passwordFile, password, account);
    await promisify(execFile)('setpriv', [...becomeArguments(account), '--pdeathsig', 'KILL', ...initdb], {
      cwd: path.dirname(data),
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C', TZ: 'UTC' },
    });
    await rename(unfinished, data);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (existsSync(data)) return; // Another service created it first; the lock decides which one uses it.
    throw error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * pg_ctl waits for the eighth line of postmaster.pid; the first line, the process id, rules out a
 * stale file.
 */
async function postmasterIsReady(data: string, pid: number): Promise<boolean> {
  const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function createDatabaseOnce(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    const known = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (known.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}
