import { createRedisClient, type RedisClient } from '../src/redis/redis-client.ts';
import { PATIENCE_MS } from './until.ts';

/** A connected client of what is not about a Redis that is away: it waits as long as a busy machine may take for ten thousand calls. */
export const patientRedis = async (url: string): Promise<RedisClient> => {
  const redis = createRedisClient({ urls: [url], commandTimeoutMs: PATIENCE_MS, name: 'test' });
  await new Promise((connected) => redis.once('ready', connected));
  return redis;
};
