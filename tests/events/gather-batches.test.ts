import fc from 'fast-check';
import { gatherBatches } from '../../src/events/gather-batches.ts';

const WAIT_MS = 250;
const ENOUGH = 5;
const REFUSED = new Error('refused');
const AWAY = new Error('away');

/** A store that refuses items below zero for good, and takes nothing while it is away. */
const gathering = () => {
  const store = { written: [] as (readonly number[])[], isAway: false };
  const { write, flush } = gatherBatches<number>(
    (items) => {
      if (store.isAway) return Promise.reject(AWAY);
      if (items.some((item) => item < 0)) return Promise.reject(REFUSED);
      store.written.push(items);
      return Promise.resolve();
    },
    { waitMs: WAIT_MS, enough: ENOUGH, isRefusal: (fault) => fault === REFUSED },
  );
  return { store, write, flush };
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('what comes while the first batch waits is written with it, and what comes later is not', async () => {
  const { store, write } = gathering();
  const first = [write([1]), write([2, 3])];
  await jest.advanceTimersByTimeAsync(WAIT_MS - 1);
  expect(store.written).toEqual([]);
  first.push(write([4]));
  await jest.advanceTimersByTimeAsync(1);
  await Promise.all(first);
  const second = write([5]);
  await jest.advanceTimersByTimeAsync(WAIT_MS);
  await second;
  expect(store.written).toEqual([[1, 2, 3, 4], [5]]);
});

test('a batch that is large enough, alone or with those that wait, does not wait', async () => {
  const { store, write } = gathering();
  await write([1, 2, 3, 4, 5, 6]);
  await Promise.all([write([7, 8]), write([9, 10, 11])]);
  expect(store.written).toEqual([
    [1, 2, 3, 4, 5, 6],
    [7, 8, 9, 10, 11],
  ]);
});

test('what waits is written when that is asked for, and what comes later waits again', async () => {
  const { store, write, flush } = gathering();
  const first = [write([1]), write([2])];
  flush();
  await Promise.all(first);
  const later = write([3]);
  await jest.advanceTimersByTimeAsync(WAIT_MS - 1);
  expect(store.written).toEqual([[1, 2]]);
  await jest.advanceTimersByTimeAsync(1);
  await later;
  flush();
  expect(store.written).toEqual([[1, 2], [3]]);
});

test('each item is written once, unless its own batch has one that is refused; while the store is away, all are told and none is written', async () => {
  const batches = fc.array(fc.array(fc.integer({ min: -1, max: 99 }), { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), async (given, isAway) => {
      const { store, write } = gathering();
      store.isAway = isAway;
      const outcomes = Promise.allSettled(given.map((items) => write(items)));
      await jest.advanceTimersByTimeAsync(WAIT_MS);
      const expected = given.map((items) => (isAway ? AWAY : items.some((item) => item < 0) ? REFUSED : undefined));
      expect((await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined))).toEqual(expected);
      const expectedItems = given.filter((_, i) => expected[i] === undefined).flat();
      expect(store.written.flat().sort()).toEqual(expectedItems.sort());
    }),
  );
});
