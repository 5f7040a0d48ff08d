import type { RedisClient } from '../../redis/redis-client.ts';
import { filteredName, FILTERED_COUNTS } from '../hit.ts';
import { filteredField, type LedgerKeys } from '../ledger-keys.ts';

/** Filtered and provisional hits by `filteredName`; those of which there is none are left out. */
export type FilteredCounts = Readonly<Record<string, number>>;

/** The filtered hits of a line item on a day of the publisher: today or yesterday. Rejects when Redis is unavailable. */
export type ReadFiltered = (publisherId: number, lineItemId: number, day: number) => Promise<FilteredCounts>;

export const createReadFiltered =
  ({ redis, keys }: { readonly redis: RedisClient; readonly keys: LedgerKeys }): ReadFiltered =>
  async (publisherId, lineItemId, day) => {
    const fields = FILTERED_COUNTS.map(({ kind, reason }) => `${day}:${filteredField(lineItemId, kind)}${reason}`);
    const counts = await redis.hmget(keys.filtered(keys.shardOf(publisherId)), ...fields);
    return Object.fromEntries(
      FILTERED_COUNTS.flatMap(({ kind, reason }, i) =>
        Number(counts[i] ?? 0) === 0 ? [] : [[filteredName(kind, reason), Number(counts[i])]],
      ),
    );
  };
