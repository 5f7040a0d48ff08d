import type { Ledger } from '../ledger.ts';
import type { ReserveRequest } from '../reservation.ts';

/** Where a reservation is decided. */
export const DECIDERS = ['lots', 'ledger', 'outage'] as const;
export type DecidedBy = (typeof DECIDERS)[number];

export interface AllowancesOptions {
  readonly ledger: Pick<Ledger, 'reserve' | 'reportLots' | 'unansweredReports' | 'readScarce'>;
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
    /** Each as in ReportsDone. */
    readonly returned: (outcome: 'returned' | 'stranded', ads: number) => void;
  };
}

/** What an ad request reserves. */
export interface SharedRequest extends ReserveRequest {
  /** Whether lots may decide it: its candidates are those of every other request. */
  readonly isShared: boolean;
}
