import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { AccountReader } from '../ledger/read/read-accounts.ts';

/** Over all live campaigns. Money in micros, by the currency of the publishers. */
export interface AccountTotals {
  /** Today's open reservations: selected, and neither seen nor expired. */
  readonly unsettled: number;
  readonly heldMicros: ByCurrency;
  readonly spentTodayMicros: ByCurrency;
}

type ByCurrency = Readonly<Record<string, number>>;

/**
 * Reading 1,000 accounts costs Redis about 3 ms. Calls of 100 keep requests from waiting behind it.
 */
const MAX_CAMPAIGNS = 1000;
const MAX_PER_CALL = 100;
const FRESH_MS = 60_000;

const NOTHING: AccountTotals = { unsettled: 0, heldMicros: {}, spentTodayMicros: {} };

/**
 * Totals of the accounts, read at most once a minute from those of the live campaigns, which hold the
 * sums of their line items; beyond 1,000 campaigns from an even sample. Separate counters would add
 * to the cost of every ad request.
 */
export const createAccountTotals = (
  accounts: AccountReader,
  currentSnapshot: () => Snapshot | undefined,
): (() => Promise<AccountTotals>) => {
  let readAtMs = -Infinity;
  let last: Promise<AccountTotals> = Promise.resolve(NOTHING);

  const read = async (snapshot: Snapshot): Promise<AccountTotals> => {
    const nowMs = Date.now();
    const live = [...snapshot.campaigns.values()].filter(({ flight }) => flight.startMs <= nowMs && nowMs < flight.endMs);
    const step = Math.max(1, live.length / MAX_CAMPAIGNS);
    const sampled = Array.from({ length: Math.min(live.length, MAX_CAMPAIGNS) }, (_, i) => live[Math.floor(i * step)]!);
    const idsOf = new Map<number, number[]>();
    for (const { publisherId, id } of sampled) idsOf.set(publisherId, [...(idsOf.get(publisherId) ?? []), id]);
    const sum = { unsettled: 0, heldMicros: {} as Record<string, number>, spentTodayMicros: {} as Record<string, number> };
    const add = (to: Record<string, number>, currency: string, micros: number): void => {
      to[currency] = (to[currency] ?? 0) + micros;
    };
    for (const [publisherId, ids] of idsOf) {
      const currency = snapshot.publishers.get(publisherId)?.currency ?? '';
      for (let from = 0; from < ids.length; from += MAX_PER_CALL) {
        for (const account of await accounts.campaigns(publisherId, ids.slice(from, from + MAX_PER_CALL))) {
          sum.unsettled += account?.heldToday ?? 0;
          add(sum.heldMicros, currency, account?.heldMicros ?? 0);
          add(sum.spentTodayMicros, currency, account?.today.spendMicros ?? 0);
        }
      }
    }
    const ofAll = (sums: ByCurrency): ByCurrency =>
      Object.fromEntries(Object.entries(sums).map(([currency, micros]) => [currency, Math.round(micros * step)]));
    return {
      unsettled: Math.round(sum.unsettled * step),
      heldMicros: ofAll(sum.heldMicros),
      spentTodayMicros: ofAll(sum.spentTodayMicros),
    };
  };

  return () => {
    const snapshot = currentSnapshot();
    if (!snapshot) return Promise.resolve(NOTHING);
    if (Date.now() - readAtMs >= FRESH_MS) {
      readAtMs = Date.now();
      last = read(snapshot);
      // A failed read is reported by the scrape that caused it, and is not kept.
      last.catch(() => (readAtMs = -Infinity));
    }
    return last;
  };
};
