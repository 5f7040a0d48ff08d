import { hitText } from '../../src/ledger/hit-text.ts';
import { createStoreEntries } from '../../src/events/store-entries.ts';
import type { StreamEntry } from '../../src/redis/stream-consumer.ts';
import { eventOf } from './events.ts';

const EVENTS_OF_ENTRY = 32;

/** Entries as one call of the ledger each appends them. */
const entriesOf = (count: number): readonly StreamEntry[] =>
  Array.from({ length: count }, (_, entry) => [
    `${entry}-0`,
    Array.from({ length: EVENTS_OF_ENTRY }, (__, i) => [
      'e',
      hitText(eventOf({ tokenId: `${entry}-${i}` }).hit),
      'at',
      '1',
      'billed',
      '2',
    ]).flat(),
  ]);

const storing = () => {
  const batches: string[][] = [];
  const { store } = createStoreEntries({
    store: {
      append: (events) => {
        batches.push(events.map(({ hit }) => hit.ad.tokenId));
        return Promise.resolve(events.length);
      },
    },
    bury: ({ reason }) => Promise.reject(new Error(reason)),
    ...{ waitMs: 250, enough: 500 },
  });
  return { store, batches };
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test.each([
  { entries: 32, batches: 1 },
  { entries: 45, batches: 1 },
  { entries: 100, batches: 3 },
])(
  '$entries entries of 32 events are stored in $batches transactions of equal size, of which none waits for other shards',
  async ({ entries, batches }) => {
    const stored = storing();
    expect(await stored.store(0, entriesOf(entries), false)).toBe(EVENTS_OF_ENTRY * entries);
    expect(stored.batches.map((batch) => Math.abs(batch.length - (EVENTS_OF_ENTRY * entries) / batches) < 2)).toEqual(
      Array.from({ length: batches }, () => true),
    );
    expect(new Set(stored.batches.flat()).size).toBe(EVENTS_OF_ENTRY * entries);
  },
);
