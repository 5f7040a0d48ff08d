/** How much a replica may reserve for later requests (../lua/lots.lua, which reads these as constants). */
export interface LotRule {
  /**
   * The largest part of what is left of a line item's limits that one lot or spare may take. So none
   * is granted near the end of a cap: the last places are reserved one by one, by whichever replica
   * has a request.
   */
  readonly part: number;
  readonly sparePart: number;
  /** No lot or spare is granted when what is left allows fewer ads for it: a small cap is sold ad by ad. */
  readonly minAds: number;
  /** The largest part of the permits of pacing that a lot may take. */
  readonly permitPart: number;
  /**
   * A lot may be handed out this long, and at most for this part of the life of its holds, which is
   * added to that life.
   */
  readonly ms: number;
  readonly lifePart: number;
}

export const LOT_RULE: LotRule = { part: 1 / 32, sparePart: 1 / 64, minAds: 4, permitPart: 1 / 2, ms: 60_000, lifePart: 1 / 4 };
