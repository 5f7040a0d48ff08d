/**
 * The times by which the ledger judges clicks (tracking/invalid-traffic/rules.ts), for its scripts
 * too: constants `CLICK_…`. Milliseconds.
 */
export const CLICK_TIMES = {
  /**
   * A click that comes sooner after its ad was served, or after its impression, is no reaction of a
   * person: World Athletics (Technical Rule 16.6) counts a reaction within 100 ms as a false start.
   */
  minReactionMs: 100,
  /**
   * A click waits this long for its impression, which may arrive later: another connection, a slow
   * network, a replica that had to store it in Postgres. Longer than any time limit of a request.
   */
  windowMs: 60_000,
  /** As RELEASE_MARGIN_MS (lua/account.lua): a hit that was stored in Postgres may be this late. */
  marginMs: 5_000,
} as const;
