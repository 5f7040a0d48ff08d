import type { Ledger } from '../ledger.ts';
import type { ReserveRequest } from '../reservation.ts';

/** Where a reservation is decided. */
export const DECIDERS = ['lots', 'ledger', 'outage'] as const;
export type DecidedBy = (typeof DECIDERS)[number];

export interface AllowancesOptions {
  readonly ledger: Pick<Ledger, 'reserve' | 'reportLots' | 'readScarce'>;
  readonly tokenTtlMs: number;
  /** False: every ad is reserved by a call. */
  readonly enabled: boolean;
  /** A line item's spare, for an outage of Redis, is for the requests of this time; 0: no spare. */
  readonly reserveMs: number;
  /** Whether Redis is available for a publisher. */
  readonly isUp: (publisherId: number) => boolean;
  /** Redis's clock for a publisher, epoch ms. */
  readonly now: (publisherId: number) => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly observe?: {
    readonly decided: (by: DecidedBy, imps: number) => void;
    readonly granted: (ads: number) => void;
    readonly returned: (ads: number, isAccepted: boolean) => void;
  };
}

/** What an ad request reserves. */
export interface SharedRequest extends ReserveRequest {
  /** Whether lots may decide it: its candidates are those of every other request. */
  readonly isShared: boolean;
}
