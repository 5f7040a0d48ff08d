import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

/**
 * What is wrong with the settings of each server that keeps counters: counters that may be evicted, or that a restart forgets, are caps
 * that silently no longer hold. INFO and not CONFIG, which managed servers forbid. Rejects when a server is away.
 *
 * @returns one sentence a fault and server; empty when all is well
 */
export const redisSettingsFaults = async (redis: RedisClient): Promise<readonly string[]> => {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const faults = await Promise.all(
    servers.map(async (server) => {
      const where = `${server.options.host}:${server.options.port}`;
      const [persistence, memory] = await Promise.all([server.info('persistence'), server.info('memory')]);
      return [
        ...(persistence.includes('aof_enabled:1') ? [] : [`${where} keeps no append-only file (appendonly yes)`]),
        ...(memory.includes('maxmemory_policy:noeviction') ? [] : [`${where} may evict counters (maxmemory-policy noeviction)`]),
      ];
    }),
  );
  return faults.flat();
};
