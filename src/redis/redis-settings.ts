import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

/**
 * Finds the faults in the settings of each server that keeps counters. If counters can be evicted
 * or are lost at a restart, caps fail silently; a cluster that is taken for a single
 * server refuses calls of several shards. Uses INFO, because managed servers forbid CONFIG.
 * Rejects when a server is unavailable.
 *
 * @returns one sentence per fault and server; empty when there is none
 */
export const redisSettingsFaults = async (redis: RedisClient): Promise<readonly string[]> => {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const faults = await Promise.all(
    servers.map(async (server) => {
      const where = `${server.options.host}:${server.options.port}`;
      const [persistence = '', memory = '', cluster = ''] = await Promise.all(
        ['persistence', 'memory', 'cluster'].map((section) => server.info(section)),
      );
      const isTakenForSingle = cluster.includes('cluster_enabled:1') && !(redis instanceof Cluster);
      return [
        ...(isTakenForSingle ? [`${where} is a node of a cluster: REDIS_URL must name several nodes`] : []),
        ...(persistence.includes('aof_enabled:1') ? [] : [`${where} keeps no append-only file (appendonly yes)`]),
        ...(memory.includes('maxmemory_policy:noeviction') ? [] : [`${where} may evict counters (maxmemory-policy noeviction)`]),
      ];
    }),
  );
  return faults.flat();
};
