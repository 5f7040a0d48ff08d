/**
 * How holds are earned (docs/adr/0012-holds-are-earned.md): by the ledger in lua/clients.lua, which
 * reads these as constants, and before it by each replica in free-holds.ts.
 */
export const CLIENT_RULE = {
  /** At each edge of this time, what a client holds and has rendered is halved. */
  periodMs: 1_800_000,
  /** Ads that may be held for each that was rendered: a client that renders one in ten is never refused. */
  proof: 9,
} as const;
