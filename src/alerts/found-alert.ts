import type { AlertKind } from '../catalog/model/alert-kinds.ts';

/** What an alert is about. `books`: the counts of the whole installation. */
export const ALERT_ENTITIES = ['line_item', 'campaign', 'creative', 'approval', 'books'] as const;
export type AlertEntity = (typeof ALERT_ENTITIES)[number];

/** Something that is the case now. */
export interface FoundAlert {
  readonly kind: AlertKind;
  readonly entity: AlertEntity;
  readonly entityId: string;
  /** null: of no publisher. */
  readonly publisherId: number | null;
  /** A sentence for staff. */
  readonly words: string;
  /** false: it keeps an open alert open, and opens none. */
  readonly mayOpen?: boolean;
}
