import type { Hit } from '../hit.ts';
import type { HoldJournal } from './hold-journal.ts';

/**
 * What the ledger asks and tells the keeper of its books (events/books/): which content of Redis is theirs, and what must be
 * known when it is lost. A scope has one content: a single server, or a shard of a cluster.
 */
export interface LedgerBooks {
  /** The epoch of a scope that this replica knows; a name that no content has before it knows one. */
  epochOf(scope: number): string;
  /** Whether an ad may have been served before the epoch began: what Redis knew of its token may be lost. */
  isOlder(scope: number, servedAtMs: number): boolean;
  /** What Redis has granted. */
  readonly holds: HoldJournal;
  /** A call was sent whose answer may grant something; it settles when that is noted. */
  granting(answer: Promise<unknown>): void;
  /** The accounts of a campaign are not rebuilt, or their content is not known: rebuild them first. */
  refused(publisherId: number, campaignId: number): void;
  /** Redis has taken a hit for the first time, and it is on its way to Postgres; as hit-text.ts writes it. */
  settled(hit: Hit, hitText: string): void;
  /** Redis had taken it before. The reply of then may have been lost, so that no replica knows it. */
  settledBefore(hit: Hit, hitText: string): void;
}
