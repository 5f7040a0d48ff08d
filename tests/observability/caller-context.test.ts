import { trace } from '@opentelemetry/api';
import { createCallerContext } from '../../src/observability/caller-context.ts';

const SAMPLED = '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01';

test('at most 100 sampled callers are followed in a second', () => {
  let nowMs = 5_000;
  const contextOf = createCallerContext(() => nowMs);
  const followedOf = (calls: number): number =>
    Array.from({ length: calls }, () => contextOf(SAMPLED)).filter((context) => trace.getSpanContext(context)).length;

  expect(followedOf(60)).toBe(60);
  nowMs = 5_999;
  expect(followedOf(60)).toBe(40);
  nowMs = 6_000;
  expect(followedOf(150)).toBe(100);
});
