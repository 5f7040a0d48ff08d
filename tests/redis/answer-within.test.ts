import { answerWithin } from '../../src/redis/answer-within.ts';
import { Redis } from 'ioredis';
import { atEnd } from '../setup/at-end.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const block = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('accepts an answer that arrived while the event loop was blocked', async () => {
  const redis = new Redis(await testRedisUrl());
  atEnd(() => redis.disconnect());
  await redis.ping();
  const answer = answerWithin(20, redis.ping());
  await new Promise((resolve) => setImmediate(resolve));
  block(100);
  await expect(answer).resolves.toBe('PONG');
});

test('rejects when no answer arrives within the time limit', async () => {
  const begun = performance.now();
  await expect(answerWithin(30, new Promise(() => undefined))).rejects.toThrow('no answer within 30 ms');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(29);
});
