import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bookPublishers } from '../../testkit/book.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startTraffic } from './traffic.ts';
import { readMetric } from '../../testkit/read-metrics.ts';

const ROOT = path.resolve(__dirname, '../..');

const evaluate = (program: string, text: string): string => {
  const { stdout, stderr, status } = spawnSync(program, ['--input-type=module', '--eval', text], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};

/** `npm test` has installed them. */
const VERSIONS = JSON.parse(
  evaluate(
    process.execPath,
    `const { NODE_VERSIONS, installNode } = await import(${JSON.stringify(pathToFileURL(path.join(ROOT, 'scripts/node-versions.mjs')))});
     const programs = NODE_VERSIONS.map(async (version) => [version, await installNode(${JSON.stringify(ROOT)}, version, console.error)]);
     console.log(JSON.stringify(await Promise.all(programs)));`,
  ),
) as [version: string, program: string][];

test.each(VERSIONS)('Node %s serves ads and counts every impression', async (version, node) => {
  expect(evaluate(node, 'console.log(process.versions.node)')).toBe(version);
  const databaseUrl = await testDatabase();
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() };
  const publishers = await bookPublishers(databaseUrl, 2);
  const replica = await startReplica({ env, node });
  const traffic = startTraffic(replica.url, publishers, 100);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { requests, failed, impressions, unfilledAtMs } = await traffic.stop();
  const counted = await readMetric(replica, 'adserver_impressions_total');
  await replica.stop();

  expect(failed).toEqual([]);
  expect([...unfilledAtMs]).toEqual([]);
  expect(requests).toBeGreaterThan(100);
  expect(counted).toBe(impressions);
});

test.each(VERSIONS)('Node %s writes an answer in one call', (_version, node) => {
  const file = pathToFileURL(path.join(ROOT, 'dist/http/answers/send-whole.js'));
  expect(evaluate(node, `console.log((await import(${JSON.stringify(file)})).JOINS)`)).toBe('true');
});

/** Its client is built for these. */
test.each(VERSIONS.filter(([version]) => Number.parseInt(version, 10) > 22))(
  'Node %s starts with a sink of Kafka',
  async (_version, node) => {
    const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), SINKS: 'kafka://127.0.0.1:1/ad-events' };
    const replica = await startReplica({ env, node });
    await replica.stop();
  },
);
