import { answerWithin } from './answer-within.ts';
import type { RedisClient } from './redis-client.ts';

/** Whether Redis can be counted on right now. */
export interface RedisLink {
  /** False from the first failed command until a ping is answered again. A request that sees false does not wait: it takes the other road. */
  readonly up: boolean;
  /** A command failed or timed out: everybody takes the other road until a ping succeeds. */
  suspect(): void;
  stop(): void;
}

/**
 * Without this, a Redis that swallows packets would cost every request its command timeout. With it, the first request pays; the others
 * learn from it. Pings run in the background, `probeMs` apart.
 */
export const createRedisLink = ({
  redis,
  probeMs = 200,
  patienceMs,
}: {
  readonly redis: RedisClient;
  readonly probeMs?: number;
  /** How long a ping may take; undefined: as long as any command of this connection. */
  readonly patienceMs?: number;
}): RedisLink => {
  let up = redis.status === 'ready';
  let probing = false;
  const probe = async () => {
    if (probing) return;
    probing = true;
    try {
      await answerWithin(patienceMs, redis.ping());
      up = true;
    } catch {
      // Not an error of its own: being down is the answer, and it is on the gauge.
      up = false;
    } finally {
      probing = false;
    }
  };
  const timer = setInterval(() => void probe(), probeMs).unref();
  const down = () => {
    up = false;
  };
  redis.on('close', down);
  redis.on('end', down);
  redis.on('ready', () => void probe());
  // Without a listener ioredis prints connection errors itself; the state they lead to is on the gauge and in one log line of its change.
  redis.on('error', down);
  return {
    get up() {
      return up;
    },
    suspect: down,
    stop: () => clearInterval(timer),
  };
};
