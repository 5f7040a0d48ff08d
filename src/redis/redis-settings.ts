import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

/**
 * Finds the faults in the settings of each server that keeps counters. If counters can be evicted
 * or are lost at a restart, caps fail silently. Uses INFO, because managed servers forbid CONFIG.
 * Rejects when a server is unavailable.
 *
 * @returns one sentence per fault and server; empty when there is none
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
