import type { Hit, HitState } from '../../ledger/hit.ts';

/** A settled hit as read from the stream. */
export interface StoredEvent {
  readonly hit: Hit;
  /** Why it is filtered, or that it is under judgement. */
  readonly reason: HitState;
  /** It was under judgement before, with an event of its own. */
  readonly isJudged?: boolean;
  /** Another click of its visitor on its day. */
  readonly isRepeat?: boolean;
  /** Epoch milliseconds at which it was counted. */
  readonly atMs: number;
  readonly billedMicros: number;
}
