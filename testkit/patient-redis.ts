import { createRedisClient, type RedisClient } from '../src/redis/redis-client.ts';
import { PATIENCE_MS } from './until.ts';

/** A client of what is not about a Redis that is away: it waits as long as a busy machine may take for ten thousand calls. */
export const patientRedis = (url: string): RedisClient => createRedisClient({ urls: [url], commandTimeoutMs: PATIENCE_MS, name: 'test' });
