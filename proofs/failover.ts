import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startEmbeddedRedis } from '../src/embedded/start-embedded-redis.ts';
import { failOver } from '../testkit/fail-over.ts';
import { rideOutOutage } from './rig/ride-out-outage.ts';
import type { Proof } from './rig/proof.ts';

export const failover: Proof = {
  name: 'failover',
  claim: 'a Redis master is demoted and keeps its connections for 60 s; then its address leads to the new master',
  expected: '/ad 100 % 200, p99 ≤ 150 ms; no acknowledged impression lost or doubled; normal within 2 s after',
  run: async (rig, scale) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-failover-'));
    await chmod(folder, 0o755);
    const second = await startEmbeddedRedis({ stateDir: folder });
    try {
      return await rideOutOutage(rig, scale, {
        begin: async ({ redisPort }, awayMs) => {
          const [from, to] = [new Redis(redisPort, '127.0.0.1'), new Redis(second.url)];
          await failOver(from, to).finally(() => [from, to].forEach((client) => client.disconnect()));
          await sleep(awayMs);
        },
        end: ({ redisProxies }) => redisProxies.forEach((proxy) => proxy.moveTo(second.url)),
        minFill: 0,
      });
    } finally {
      await second.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
