/** Time-outs among the last calls, newer ones weighing more: about 50 calls. */
const WEIGHT = 1 / 50;
/** Up to this part of time-outs a bidder gets every call; from the other one on it gets the least. */
const TOLERATED = 0.1;
const HOPELESS = 0.5;
/** Enough to notice that the bidder has become faster. */
const MIN_SHARE = 0.1;

/**
 * Which part of its calls a bidder gets that often runs out of time.
 *
 * A page waits the whole bidder time-out for a call that runs out of time, so a bidder that is often
 * slow is asked less. Its circuit breaker opens where most calls fail; this is for the bidder that
 * works, and costs more than it brings.
 */
export const createAskedShare = (onChange: (share: number) => void) => {
  let timeouts = 0;
  let share = 1;
  let due = 0;
  return {
    /** Whether the next call is sent; `share` of them are, evenly. */
    mayAsk: (): boolean => {
      due += share;
      if (due < 1) return false;
      due -= 1;
      return true;
    },
    /** The result of a call that was sent. */
    note: (isTimeout: boolean): void => {
      timeouts += WEIGHT * ((isTimeout ? 1 : 0) - timeouts);
      const part = Math.min(Math.max((HOPELESS - timeouts) / (HOPELESS - TOLERATED), 0), 1);
      const next = MIN_SHARE + (1 - MIN_SHARE) * part;
      if (next !== share) onChange(next);
      share = next;
    },
    /** 0 to 1. */
    get share(): number {
      return share;
    },
  };
};
