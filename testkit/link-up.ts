import type { RedisLink } from '../src/redis/redis-link.ts';

/** Of a Redis that is never away. */
export const LINK_UP: RedisLink = { up: true, upOf: () => true, suspect: () => undefined, roundTripSeconds: 0, stop: () => undefined };
