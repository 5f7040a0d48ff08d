import type { AlertKind } from '../catalog/model/alert-kinds.ts';

/** What an alert is about. `books`: the counts of the whole installation. */
export type AlertEntity = 'line_item' | 'campaign' | 'creative' | 'books';

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
