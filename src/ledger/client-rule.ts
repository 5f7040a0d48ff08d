/**
 * How holds are earned (docs/adr/0012-holds-are-earned.md): by the ledger in lua/clients.lua, which
 * reads these as constants, and before it by each replica in free-holds.ts.
 */
export const CLIENT_RULE = {
  /** At each edge of this time, what a client holds and has rendered is halved. */
  periodMs: 1_800_000,
  /** Ads that may be held for each that was rendered: a client that renders one in ten is never refused. */
  proof: 9,
  /**
   * A hold that ends sooner weighs less than an ad, at least so much: a bid in an auction is held for
   * a minute, and most bids lose.
   */
  fullHoldMs: 300_000,
  minWeight: 0.2,
  /** The hold of a newcomer while those who have rendered nothing hold many ads: nearly all honest ads render within seconds. */
  shortHoldMs: 60_000,
} as const;

/** What a hold of this life counts as, in ads. */
export const holdWeight = (lifeMs: number): number => Math.min(Math.max(lifeMs / CLIENT_RULE.fullHoldMs, CLIENT_RULE.minWeight), 1);
