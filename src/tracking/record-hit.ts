import type { HitLimits } from '../ledger/settle/encode-settle.ts';
import type { Hit, Settled } from '../ledger/hit.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PendingHits } from './pending-hits.ts';

/**
 * The outcome of a hit. `accepted` (it is counted, filtered or waits) and `duplicate` are durable and answered 200. `expired` is
 * answered like an invalid token. `unavailable`: neither store accepted the hit, and the client may
 * retry.
 */
export type HitOutcome = 'accepted' | 'duplicate' | 'expired' | 'unavailable';

export interface RecordHitOptions {
  readonly ledger: Ledger;
  readonly pending: Pick<PendingHits, 'store'>;
  readonly keys: LedgerKeys;
  /** undefined: the catalog has not been loaded yet. */
  readonly hitLimitsOf: (hit: Hit) => HitLimits | undefined;
  /** Called when a hit is stored in Postgres because Redis is unavailable. */
  readonly onFallback: () => void;
  readonly onFailure: (fault: Error) => void;
  /**
   * Called when the ledger has settled a hit, now or before: the reply to the call that settled it
   * may have been lost.
   */
  readonly onSettled: (hit: Hit, settled: Settled) => void;
}

/**
 * Counts a hit once, in the first store that accepts it: the ledger, else Postgres, from which it
 * is folded into the ledger later.
 */
export const createRecordHit =
  ({ ledger, pending, keys, hitLimitsOf, onFallback, onFailure, onSettled }: RecordHitOptions) =>
  async (hit: Hit): Promise<HitOutcome> => {
    const limits = hitLimitsOf(hit);
    const settled = limits && (await ledger.settle(hit, limits));
    if (settled) {
      if (settled.outcome !== 'expired') onSettled(hit, settled);
      return settled.outcome === 'duplicate' || settled.outcome === 'expired' ? settled.outcome : 'accepted';
    }
    onFallback();
    try {
      const stored = await pending.store(hit, keys.shardOf(hit.ad.publisherId));
      return stored === 'stored' ? 'accepted' : stored === 'late' ? 'expired' : 'duplicate';
    } catch (fault) {
      onFailure(fault as Error);
      return 'unavailable';
    }
  };
