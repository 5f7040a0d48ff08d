/** Why something needs attention, most urgent first. */
export const ATTENTION_KINDS = [
  'cannot_serve',
  'behind',
  'outranked',
  'complaints',
  'pending_creatives',
  'ends_soon',
  'quarantined',
  'rebuilding',
  'drift',
  'dead_events',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** What an ad of a direct campaign needs, in the order of setting it up. */
export const SET_UP_KINDS = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'] as const;
export type SetUpKind = (typeof SET_UP_KINDS)[number];

/** One thing to do: what it is about, why, and the change that mends it where one is known. */
export interface AttentionRow {
  readonly table: 'line_items' | 'creatives' | null;
  readonly id: number | null;
  readonly name: string;
  readonly text: string;
}

export interface AttentionGroup {
  readonly kind: AttentionKind;
  /** Of all; `rows` has the first. */
  readonly total: number;
  readonly rows: readonly AttentionRow[];
}

export interface EndedItem {
  readonly line_item_id: number;
  readonly name: string;
  /** RFC 3339: the end of its flight. */
  readonly ended_at: string;
  readonly impressions: number;
  /** USD. */
  readonly spend: number;
}

/** The answer of GET /api/attention, here and on the home screen. */
export interface Attention {
  readonly at: string;
  /** By status, those whose flight has begun and not ended, and those that begin within three days. */
  readonly line_items: Readonly<Record<string, number>>;
  /** Groups with any, in the order of ATTENTION_KINDS. */
  readonly groups: readonly AttentionGroup[];
  /** Whose flight ended in the last three days, the latest first. */
  readonly ended: readonly EndedItem[];
  /** Records that are not archived. */
  readonly records: Readonly<Record<SetUpKind, number>>;
  readonly health: {
    /** Replicas that are running. */
    readonly replicas: number;
    /** Whether the counters in Redis can be read. */
    readonly counters: boolean;
    readonly catalog_version: number | null;
    /** Of the catalog that this replica serves. */
    readonly catalog_age_seconds: number | null;
  };
}
