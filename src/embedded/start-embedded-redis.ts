import { mkdir, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { findRedisServer } from './find-redis-server.ts';
import { freePort } from './free-port.ts';
import { PORT_TAKEN, spawnStore } from './spawn-store.ts';
import type { EmbeddedStore } from './start-embedded-postgres.ts';
import { makePrivateFolder, storeAccount, writePrivateFile } from './store-folder.ts';

export interface EmbeddedRedisOptions {
  /** Parent of the data folder `redis/`. Created if missing. */
  readonly stateDir: string;
  /** Required of every client. undefined: any local process has full access, for tests. */
  readonly password?: string;
  /** false: nothing is written to disk, for tests. Default true. */
  readonly durable?: boolean;
  /** A fixed port, for tests that restart a server at the same address. Default: a free port. */
  readonly port?: number;
}

/**
 * Starts a private Redis on a port of 127.0.0.1, with its data in the state folder. Writes reach
 * the disk within a second. When memory is full Redis refuses writes: evicted counters would
 * silently disable caps.
 *
 * @throws when another service uses the data, or the Redis server is missing or does not start; the
 *    message says what to do
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedStore> {
  const binary = await findRedisServer();
  if (binary === null)
    throw new Error('Redis is not installed: set REDIS_URL, or install redis-server (Debian: apt-get install redis-tools).');
  const folder = path.join(options.stateDir, 'redis');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const data = path.join(folder, 'data');
  const account = await storeAccount(data);
  await makePrivateFolder(data, account);
  const command = path.join(folder, `redis-server-${process.pid}`);
  const { password } = options;
  // Other accounts can read the arguments of a process, but not this file.
  const passwordFile = password === undefined ? undefined : path.join(folder, `password-${process.pid}.conf`);

  for (let attempt = 1; attempt <= 5; attempt++) {
    const port = options.port ?? (await freePort());
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: data,
      save: '',
      appendonly: options.durable === false ? 'no' : 'yes',
      appendfsync: 'everysec',
      'maxmemory-policy': 'noeviction',
    };
    await rm(command, { force: true });
    if (passwordFile !== undefined) await writePrivateFile(passwordFile, `requirepass ${password}\n`, account);
    await symlink(binary, command); // Under this name the binary of redis-tools runs as a server.
    try {
      const store = await spawnStore({
        name: 'Redis',
        folder,
        account,
        command,
        args: [
          ...(passwordFile === undefined ? [] : [passwordFile]),
          ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
        ],
        stopSignal: 'SIGTERM',
        isReady: () => answersPing(port, password),
      });
      if (store !== PORT_TAKEN)
        return { url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`, stop: store.stop };
      if (options.port !== undefined) throw new Error(`Port ${port} of 127.0.0.1 is taken.`);
    } finally {
      await rm(command, { force: true });
      if (passwordFile !== undefined) await rm(passwordFile, { force: true });
    }
  }
  throw new Error('Redis could not bind a port of 127.0.0.1 in five attempts.');
}

/** Whether the server answers PING with PONG; while it loads its data it answers with an error. */
function answersPing(port: number, password: string | undefined): Promise<boolean> {
  const login = password === undefined ? '' : `AUTH ${password}\r\n`;
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${login}PING\r\n`));
    const answer = (ready: boolean): void => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(1000, () => answer(false));
    let said = '';
    socket.on('data', (chunk) => {
      said += String(chunk);
      if (said.split('\r\n').length > (login === '' ? 1 : 2)) answer(said.endsWith('+PONG\r\n'));
    });
    socket.on('error', () => answer(false));
    socket.on('close', () => resolve(false));
  });
}
