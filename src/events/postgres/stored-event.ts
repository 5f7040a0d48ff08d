import { PROVISIONAL, type Hit, type HitState } from '../../ledger/hit.ts';

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

/**
 * A click of which it is known what comes of it: it was judged, or Redis lost it under judgement and it was settled again. It
 * takes the place of its provisional row.
 */
export const isFinalClick = ({ hit, reason }: StoredEvent): boolean =>
  hit.kind === 'click' && hit.invalidReason === '' && reason !== PROVISIONAL;

/** A click that is judged later. */
export const isProvisionalClick = ({ hit, reason }: StoredEvent): boolean =>
  hit.kind === 'click' && hit.invalidReason === '' && reason === PROVISIONAL;
