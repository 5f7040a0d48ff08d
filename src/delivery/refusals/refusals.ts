/** A change that would take a reason away. */
export interface Remedy {
  /** What it does, in the imperative: "Raise the price to $8.01 CPM". */
  readonly label: string;
  /** A merge patch of the line item or of its campaign. */
  readonly table: 'line_items' | 'campaigns';
  readonly id: number;
  readonly patch: Readonly<Record<string, unknown>>;
}

/** A line item that was shown in place of another. */
export interface Rival {
  readonly line_item_id: number;
  /** null: deleted. */
  readonly line_item: string | null;
  readonly impressions: number;
}

export interface RefusalRow {
  /** `outranked`, or the name of a no-bid reason. */
  readonly reason: string;
  /** In a sentence: "it was not shown because …". */
  readonly words: string;
  readonly impressions: number;
  /** Of all that were lost. */
  readonly share: number;
  /** Most often first; empty unless it was outranked. */
  readonly outranked_by: readonly Rival[];
  /** null: no single change helps. */
  readonly remedy: Remedy | null;
}

/** The answer of GET /api/placements/{id}/refusals: what became of the requests for a placement. */
export interface PlacementRefusals {
  readonly placement_id: string;
  /** UTC days, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly unfilled: number;
  /** Why those without an ad got none, most often first: the reason that came closest to an ad. */
  readonly reasons: readonly {
    readonly reason: string;
    readonly words: string;
    readonly requests: number;
    /** Of all requests. */
    readonly share: number;
  }[];
}

/**
 * The answer of GET /api/line_items/{id}/refusals, here and on the trafficking page: impressions of
 * its placements that it could have had and did not get.
 */
export interface Refusals {
  readonly line_item_id: number;
  /** UTC days, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** That its targeting did not match: not among those lost. */
  readonly off_target: number;
  readonly lost: number;
  /** Most often first. */
  readonly reasons: readonly RefusalRow[];
  /** Hours with any, in order. */
  readonly hours: readonly { readonly hour: string; readonly off_target: number; readonly lost: number }[];
}
