import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { batchCalls, type BatchOptions } from '../../src/redis/batch-calls.ts';

const batched = (options: BatchOptions<number>) => {
  const sent: (readonly number[])[] = [];
  const call = batchCalls((calls: readonly number[]) => {
    sent.push(calls);
    return calls.includes(13) ? Promise.reject(new Error('refused')) : Promise.resolve(calls.map((one) => one * 2));
  }, options);
  return { sent, call };
};
/** Calls in turns of the event loop that follow each other. */
const inTurns = async (call: (one: number) => Promise<number>, calls: readonly number[]): Promise<Promise<number>[]> => {
  const answers: Promise<number>[] = [];
  for (const one of calls) {
    answers.push(call(one));
    await turn();
    await turn();
  }
  return answers;
};

test('calls of one turn are sent as one, each gets its own answer, and a batch that is refused fails its calls alone', async () => {
  const { sent, call } = batched({ maxCalls: 3 });
  const answers = Promise.allSettled([1, 2, 3, 4, 13].map(call));
  await expect(answers).resolves.toEqual([
    ...[2, 4, 6].map((value) => ({ status: 'fulfilled', value })),
    ...[4, 13].map(() => ({ status: 'rejected', reason: new Error('refused') })),
  ]);
  expect(sent).toEqual([
    [1, 2, 3],
    [4, 13],
  ]);
});

test('work that is too heavy for one batch goes into the next', async () => {
  const { sent, call } = batched({ weigh: (one) => one, maxWeight: 10 });
  await Promise.all([4, 5, 6, 20, 1].map(call));
  expect(sent).toEqual([[4, 5], [6], [20], [1]]);
});

test('a call that comes alone does not wait; those that follow it closely share a batch, which is sent when it is full', async () => {
  const { sent, call } = batched({ maxCalls: 3, everyMs: 3_600_000 });
  expect(await call(1)).toBe(2);
  const answers = await inTurns(call, [2, 3, 4]);
  expect([await Promise.all(answers), sent]).toEqual([
    [4, 6, 8],
    [[1], [2, 3, 4]],
  ]);
});

test('… or when the time has passed', async () => {
  const { sent, call } = batched({ maxCalls: 100, everyMs: 20 });
  await call(1);
  const answers = await inTurns(call, [2, 3]);
  await Promise.all(answers);
  // On a busy machine one of them may come after the time.
  expect(sent.flat()).toEqual([1, 2, 3]);
});

test('… which begins anew with each batch: one that was full does not cut the next one short', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  try {
    const { sent, call } = batched({ maxCalls: 2, everyMs: 20 });
    await call(1);
    jest.advanceTimersByTime(5);
    await Promise.all([call(2), call(3)]);
    jest.advanceTimersByTime(5);
    const answer = call(4);
    jest.advanceTimersByTime(14);
    expect(sent).toEqual([[1], [2, 3]]);
    jest.advanceTimersByTime(1);
    expect([await answer, sent]).toEqual([8, [[1], [2, 3], [4]]]);
  } finally {
    jest.useRealTimers();
  }
});
