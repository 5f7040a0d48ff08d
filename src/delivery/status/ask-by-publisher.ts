import { groupBy } from '../../base/group-by.ts';
import type { CountersSource } from '../read-counters.ts';
import type { LoadedLineItem } from '../loaded-line-item.ts';

/** Line items of one round: Redis works on them for 5 ms. */
const MAX_A_ROUND = 200;

/** Asks Redis about line items of one publisher; the answers are in their order. */
export type AskPublisher<T> = (publisherId: number, some: readonly LoadedLineItem[]) => Promise<readonly T[]>;

/**
 * Asks Redis about line items, by publisher. The calls of a round are sent together, so that many
 * publishers with few line items take no more rounds than one with many.
 *
 * @returns by line item; undefined: Redis is away, and its client logs that
 */
export const askByPublisher = async <T>(
  { countersUp }: Pick<CountersSource, 'countersUp'>,
  loaded: readonly LoadedLineItem[],
  ask: AskPublisher<T>,
): Promise<ReadonlyMap<number, T> | undefined> => {
  if (!countersUp()) return undefined;
  const found = new Map<number, T>();
  const ordered = loaded.toSorted((a, b) => a.lineItem.publisherId - b.lineItem.publisherId);
  try {
    for (let at = 0; at < ordered.length; at += MAX_A_ROUND) {
      const calls = groupBy(ordered.slice(at, at + MAX_A_ROUND), ({ lineItem }) => lineItem.publisherId);
      await Promise.all(
        Array.from(calls, async ([publisherId, some]) => {
          const values = await ask(publisherId, some);
          for (const [i, { lineItem }] of some.entries()) found.set(lineItem.id, values[i]!);
        }),
      );
    }
    return found;
  } catch {
    return undefined;
  }
};
