import type { BidOutcome } from './bid-outcome.ts';

export type CircuitState = 'closed' | 'open' | 'half_open';
export type NoticeKind = 'win' | 'billing' | 'loss';
/** dropped: too many were waiting. refused: the URL or its address is not allowed. */
export type NoticeOutcome = 'sent' | 'failed' | 'dropped' | 'refused';

/** Where measurements go: plain functions, called once for each thing that happened, with labels from closed sets. They must not throw. */
export interface BidderObserver {
  /** A bidder was asked, or was not because of what is known of it. `accepted`: its answer could be read, whatever it held. */
  readonly call: (outcome: BidOutcome, durationMs: number) => void;
  /** A bid was read out of an answer. */
  readonly bid: (outcome: BidOutcome) => void;
  /** `endpoint` is host and path, of at most `MAX_ENDPOINTS` endpoints at a time; null: forgotten, its series is to be dropped. */
  readonly circuit: (endpoint: string, state: CircuitState | null) => void;
  readonly notice: (kind: NoticeKind, outcome: NoticeOutcome) => void;
}
