import type { Gene, Role } from './gene.ts';

/** What is maximised. */
export const OBJECTIVES = ['loop', 'hold', 'answer', 'retained'] as const;
export type Objective = (typeof OBJECTIVES)[number];

/** The cost of one request. */
export interface Cost {
  /** CPU time of the main thread. */
  readonly loopMs: number;
  /** The longest time for which another request would have waited. */
  readonly holdMs: number;
  readonly answerBytes: number;
  readonly retainedBytes: number;
}

export const MAX_LOOP_MS = 5;
export const MAX_HOLD_MS = 20;
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Staff and operators may read a page of a list, a report and the metrics. */
export const MAX_STAFF_ANSWER_BYTES = 8 * 1024 * 1024;
/**
 * Per request, each with another address and user. Caches of a fixed number of short entries still
 * fill up.
 */
export const MAX_RETAINED_BYTES = 1024;

/** A page gets the markup of its bidders, which is at most what one of them may send, and what the service adds to it. */
export const MAX_BIDDER_ANSWER_BYTES = 256 * 1024 + MAX_ANSWER_BYTES;

const LIMITS: Readonly<Record<Role, Partial<Readonly<Record<Objective, number>>>>> = {
  stranger: { loop: MAX_LOOP_MS, answer: MAX_ANSWER_BYTES },
  bidder: { hold: MAX_HOLD_MS, answer: MAX_BIDDER_ANSWER_BYTES },
  staff: { hold: MAX_HOLD_MS, answer: MAX_STAFF_ANSWER_BYTES },
  operator: { hold: MAX_HOLD_MS, answer: MAX_STAFF_ANSWER_BYTES },
};

/** The objectives of a request with their limits. */
export const budgetOf = ({ role, carriesFiles }: Gene): Partial<Readonly<Record<Objective, number>>> => {
  const { answer, ...others } = LIMITS[role];
  return carriesFiles || answer === undefined ? others : { ...others, answer };
};

/** Whether its limit is a time. */
export const isTime = (objective: Objective): boolean => objective === 'loop' || objective === 'hold';

export const amountOf = (objective: Objective, cost: Cost): number =>
  ({ loop: cost.loopMs, hold: cost.holdMs, answer: cost.answerBytes, retained: cost.retainedBytes })[objective];

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;

export const wordsOf = (objective: Objective, amount: number): string =>
  ({
    loop: `${amount.toFixed(1)} ms of the loop`,
    hold: `the loop held for ${amount.toFixed(1)} ms`,
    answer: `${kilobytes(amount)} answered`,
    retained: `${kilobytes(amount)} retained per request`,
  })[objective];
