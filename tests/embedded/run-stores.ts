import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { startEmbeddedRedis } from '../../src/embedded/start-embedded-redis.ts';

/**
 * A service with only its stores, run as a separate process by embedded-stores.test.ts:
 * prints where they are and stays.
 */
const password = 'the-password-of-these-stores';
const [stateDir, binariesDir] = process.argv.slice(2) as [string, string];
const postgres = await startEmbeddedPostgres({ stateDir, binariesDir, password });
const redis = await startEmbeddedRedis({ stateDir, password });
process.once('SIGTERM', () => void Promise.all([postgres.stop(), redis.stop()]).then(() => process.exit(0)));
console.log(JSON.stringify({ postgres: postgres.url, redis: redis.url }));
setInterval(() => {}, 60_000);
