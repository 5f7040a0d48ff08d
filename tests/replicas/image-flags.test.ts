import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { IMAGE_FLAGS } from '../../testkit/image-flags.ts';
import { startServer } from '../../testkit/start-process.ts';
import { atEnd } from '../setup/at-end.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const MAIN = path.resolve(__dirname, '../../dist/main.js');

/** The nice value of each thread (proc_pid_stat(5), field 19), by thread id. */
const niceOfThreads = (pid: number): ReadonlyMap<number, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [Number(thread), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
    }),
  );

test('with the flags of the image, the main thread of a replica goes before the four that compile and the four that hash passwords', async () => {
  const server = await startServer({
    name: 'the replica',
    command: [process.execPath, ...IMAGE_FLAGS, MAIN],
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DRAIN_TIME: '100ms' },
    readyPath: '/ready',
  });
  atEnd(() => server.end('SIGKILL'));
  const { [server.pid]: main, ...others } = Object.fromEntries(niceOfThreads(server.pid));
  const lower = Object.values(others).filter((nice) => nice === os.constants.priority.PRIORITY_BELOW_NORMAL);
  expect({ main, lower: lower.length >= 9 }).toEqual({ main: os.getPriority(process.pid), lower: true });
});
