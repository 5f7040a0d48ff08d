import { LRUCache } from 'lru-cache';
import { under } from '../../base/under.ts';
import { newDelivery, type ReplayedDelivery, type ReplayResult } from './run-replay.ts';
import type { SoldSums } from './sold-tally.ts';

/** The replays of one group: with the traffic that is expected, with less and with more. */
export interface GroupReplay {
  readonly middle: ReplayResult;
  readonly less: ReplayResult;
  readonly more: ReplayResult;
  /** Of the middle one. */
  readonly sold: SoldSums;
}

/** Replays of one traffic, by the bookings that they have replayed; those that were used last. */
export type KeptReplays = Pick<LRUCache<string, GroupReplay>, 'has' | 'get' | 'set' | 'size'>;

/** Of line items, each with the days of a forecast: about three kilobytes. */
const MAX_DELIVERIES = 40_000;

export const createKeptReplays = (): KeptReplays =>
  new LRUCache<string, GroupReplay>({
    maxSize: MAX_DELIVERIES,
    sizeCalculation: ({ middle, less, more }) => 1 + middle.lineItems.size + less.lineItems.size + more.lineItems.size,
  });

/** The sums of replays. A line item without limits may be in several. */
export const joinedResults = (results: readonly ReplayResult[]): ReplayResult => {
  if (results.length === 1) return results[0]!;
  const lineItems = new Map<number, ReplayedDelivery>();
  for (const result of results)
    for (const [id, of] of result.lineItems) {
      const sums = under(lineItems, id, newDelivery);
      addAll(sums.impressions, of.impressions);
      addAll(sums.refusals, of.refusals);
    }
  return { lineItems, opportunities: results.reduce((sum, { opportunities }) => sum + opportunities, 0) };
};

const addAll = <Key>(sums: Map<Key, number>, more: ReadonlyMap<Key, number>): void => {
  for (const [key, count] of more) sums.set(key, (sums.get(key) ?? 0) + count);
};
