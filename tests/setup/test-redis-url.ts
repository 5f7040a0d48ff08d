import { Redis } from 'ioredis';
import { storesOfThisRun, workerNumber } from './stores-of-this-run.ts';

/** Jest loads modules separately for every test file, so this lives as long as one file. */
let emptied: Promise<string> | undefined;

/**
 * The Redis of this worker, emptied once for the calling test file. No other worker uses it, so a test may pause it or flush its scripts;
 * a test that stops its Redis starts another with `startEmbeddedRedis`.
 * @returns a redis:// URL
 */
export function testRedisUrl(): Promise<string> {
  emptied ??= emptiedRedis();
  return emptied;
}

async function emptiedRedis(): Promise<string> {
  const url = storesOfThisRun().redisUrls[workerNumber() - 1];
  if (url === undefined) throw new Error(`No Redis was started for worker ${workerNumber()}.`);
  const client = new Redis(url);
  try {
    await client.flushdb();
  } finally {
    client.disconnect();
  }
  return url;
}
