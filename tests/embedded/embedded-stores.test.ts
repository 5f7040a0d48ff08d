import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { defaultStateDir } from '../../src/config/default-state-dir.ts';
import { withClient } from '../../testkit/databases.ts';

/** As in run-stores.ts. */
const PASSWORD = 'the-password-of-these-stores';
const STATE_DIR = mkdtempSync(path.join(tmpdir(), 'ad-server-embedded-'));
chmodSync(STATE_DIR, 0o755);
const ARGUMENTS = ['--import', 'tsx', path.join(__dirname, 'run-stores.ts'), STATE_DIR, defaultStateDir(process.env)];
const running = new Set<ChildProcess>();

afterAll(async () => {
  for (const service of running) service.kill('SIGKILL');
  await sleep(500); // The stores see their service die and close their files.
  rmSync(STATE_DIR, { recursive: true, maxRetries: 10, retryDelay: 200 });
});

interface Service {
  readonly process: ChildProcess;
  readonly urls: { readonly postgres: string; readonly redis: string };
}

/** Starts a service; resolves with its stores, or with what it said when it ended instead. */
async function startService(): Promise<Service | string> {
  const service = spawn(process.execPath, ARGUMENTS, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(service);
  let said = '';
  service.stderr.on('data', (chunk) => (said += chunk));
  const ended = once(service, 'close').then(() => said);
  const started = once(service.stdout, 'data').then(([line]) => ({ process: service, urls: JSON.parse(String(line)) as Service['urls'] }));
  return Promise.race([started, ended]);
}

async function runningService(): Promise<Service> {
  const service = await startService();
  if (typeof service === 'string') throw new Error(service);
  return service;
}

async function end(service: Service, signal: NodeJS.Signals): Promise<void> {
  const ended = once(service.process, 'exit');
  service.process.kill(signal);
  await ended;
  running.delete(service.process);
}

async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function settings(redisUrl: string): Promise<Record<string, string>> {
  const reply = await withRedis(redisUrl, (client) => client.config('GET', 'append*', 'maxmemory-policy', 'bind', 'save'));
  return Object.fromEntries(reply.flatMap((name, index) => (index % 2 === 0 ? [[name, reply[index + 1]!]] : [])));
}

async function stopsAnswering(url: string): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: null });
    client.on('error', () => {});
    const answers = url.startsWith('redis:')
      ? await client.connect().then(
          () => true,
          () => false,
        )
      : await withClient(url, () => Promise.resolve(true)).catch(() => false);
    client.disconnect();
    if (!answers) return true;
    await sleep(50);
  }
  return false;
}

test('stored data survives a restart, after a stop and after a kill', async () => {
  const first = await runningService();
  expect(await settings(first.urls.redis)).toMatchObject({
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
    bind: '127.0.0.1',
  });
  await withClient(first.urls.postgres, (client) => client.query('create table kept as select 1 as n'));
  await withRedis(first.urls.redis, (client) => client.set('kept', '1'));
  await end(first, 'SIGTERM');

  const second = await runningService();
  await withClient(second.urls.postgres, (client) => client.query('insert into kept values (2)'));
  await withRedis(second.urls.redis, (client) => client.incr('kept'));
  await end(second, 'SIGKILL');
  expect(await stopsAnswering(second.urls.redis)).toBe(true);
  expect(await stopsAnswering(second.urls.postgres)).toBe(true);

  const third = await runningService();
  const rows = await withClient(third.urls.postgres, (client) => client.query('select n from kept order by n'));
  const kept = await withRedis(third.urls.redis, (client) => client.get('kept'));
  expect([rows.rows, kept]).toEqual([[{ n: 1 }, { n: 2 }], '2']);
  await end(third, 'SIGTERM');
});

test('a second service with the same state folder is refused and the first keeps running', async () => {
  const first = await runningService();
  expect(await startService()).toMatch(/in use by another running service.*STATE_DIR/);
  await withClient(first.urls.postgres, (client) => client.query('select 1'));
  await end(first, 'SIGTERM');
});

test('clients need the password, and no argument of the servers and no file left behind reveals it', async () => {
  const service = await runningService();
  for (const url of [service.urls.postgres, service.urls.redis]) {
    expect(url).toContain(PASSWORD);
    for (const credentials of ['', ':wrong']) {
      const other = url.replace(`:${PASSWORD}`, credentials).replace('://@', '://');
      const attempt = url.startsWith('redis:')
        ? withRedis(other, (client) => client.ping())
        : withClient(other, (client) => client.query('select 1'));
      await expect(attempt).rejects.toThrow(/password|NOAUTH|WRONGPASS|Authentication/i);
    }
  }
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => (existsSync(`/proc/${pid}/cmdline`) ? readCommand(pid) : ''))
    .filter((command) => command.includes(STATE_DIR));
  expect(commands.some((command) => command.includes('redis-server'))).toBe(true);
  expect(commands.filter((command) => command.includes(PASSWORD))).toEqual([]);
  await end(service, 'SIGTERM');
  const left = readdirSync(STATE_DIR, { recursive: true, encoding: 'utf8' }).filter((name) => /password/.test(name));
  expect(left).toEqual([]);
});

/** '' for a process that has ended meanwhile. */
function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
