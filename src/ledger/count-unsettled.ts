import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { AccountReader } from './read/read-accounts.ts';

/**
 * Reading 1,000 accounts costs Redis about 3 ms. Calls of 100 keep requests from waiting behind it.
 */
const MAX_CAMPAIGNS = 1000;
const MAX_PER_CALL = 100;
const FRESH_MS = 60_000;

/**
 * How many of today's reservations are open: selected, and neither seen nor expired. Read at most
 * once a minute from the accounts of the live campaigns, which hold the sums of their line items;
 * beyond 1,000 campaigns from an even sample. A separate counter would add to the cost of every ad
 * request.
 */
export const createUnsettledCount = ({
  accounts,
  currentSnapshot,
  now = Date.now,
}: {
  readonly accounts: AccountReader;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly now?: () => number;
}): (() => Promise<number>) => {
  let readAtMs = -Infinity;
  let last: Promise<number> = Promise.resolve(0);

  const read = async (snapshot: Snapshot): Promise<number> => {
    const nowMs = now();
    const live = [...snapshot.campaigns.values()].filter(({ flight }) => flight.startMs <= nowMs && nowMs < flight.endMs);
    const step = Math.max(1, live.length / MAX_CAMPAIGNS);
    const sampled = Array.from({ length: Math.min(live.length, MAX_CAMPAIGNS) }, (_, i) => live[Math.floor(i * step)]!);
    const idsOf = new Map<number, number[]>();
    for (const { publisherId, id } of sampled) idsOf.set(publisherId, [...(idsOf.get(publisherId) ?? []), id]);
    let held = 0;
    for (const [publisherId, ids] of idsOf) {
      for (let from = 0; from < ids.length; from += MAX_PER_CALL) {
        for (const account of await accounts.campaigns(publisherId, ids.slice(from, from + MAX_PER_CALL))) held += account?.heldToday ?? 0;
      }
    }
    return Math.round(held * step);
  };

  return () => {
    const snapshot = currentSnapshot();
    if (!snapshot) return Promise.resolve(0);
    if (now() - readAtMs >= FRESH_MS) {
      readAtMs = now();
      last = read(snapshot);
      // A failed read is reported by the scrape that caused it, and is not kept.
      last.catch(() => (readAtMs = -Infinity));
    }
    return last;
  };
};
