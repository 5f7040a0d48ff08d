import type { HitLimits } from '../ledger/settle/encode-settle.ts';
import type { Hit } from '../ledger/hit.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PendingHits } from './pending-hits.ts';

/**
 * What became of a hit. `counted` and `duplicate` are durable and answered 200; `expired` is answered like a bad token;
 * `unavailable`: neither store took it, the client is told so and may try again.
 */
export type HitOutcome = 'counted' | 'duplicate' | 'expired' | 'unavailable';

export interface RecordHitOptions {
  readonly ledger: Ledger;
  readonly pending: PendingHits;
  readonly keys: LedgerKeys;
  /** undefined: the catalog has not been loaded yet. */
  readonly limitsOf: (hit: Hit) => HitLimits | undefined;
  /** A hit took the road through Postgres, because Redis could not be counted on. */
  readonly onFallback: () => void;
  readonly onFailure: (fault: Error) => void;
  /** A hit was settled by the ledger for the first time; an impression should find its hold. */
  readonly onSettled: (hit: Hit, foundHold: boolean) => void;
}

/** Counts a hit once, wherever it can be made durable: in the ledger, else in Postgres, from where it is folded into the ledger later. */
export const createRecordHit =
  ({ ledger, pending, keys, limitsOf, onFallback, onFailure, onSettled }: RecordHitOptions) =>
  async (hit: Hit): Promise<HitOutcome> => {
    const limits = limitsOf(hit);
    const settled = limits && (await ledger.settle(hit, limits));
    if (settled) {
      if (settled.outcome === 'counted') onSettled(hit, settled.foundHold);
      return settled.outcome;
    }
    onFallback();
    try {
      const stored = await pending.store(hit, keys.shardOf(hit.ad.publisherId));
      return stored === 'stored' ? 'counted' : stored === 'late' ? 'expired' : 'duplicate';
    } catch (fault) {
      onFailure(fault as Error);
      return 'unavailable';
    }
  };
