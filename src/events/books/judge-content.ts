import type { BooksContent } from '../../ledger/books/books-server.ts';
import type { BookEpoch } from '../postgres/book-store.ts';

/** Why an epoch begins, in words for staff; with `first` and `adopted` nothing was lost. */
export const EPOCH_REASONS = {
  first: 'Redis keeps counters for the first time',
  adopted: 'Redis has the counters of an earlier release',
  empty: 'Redis had lost all of its counters',
  restarted: 'Redis was restarted, or another server took over; what it had counted last may be lost',
  older: 'Redis had counters of another moment',
  behind: 'Postgres had been restored to an earlier state; what Redis has counted since stays counted',
} as const;
export type EpochReason = keyof typeof EPOCH_REASONS;

/** What follows from the content that a server has. */
export interface Judgement {
  /**
   * `trust`: the process has all of it, and this release has not looked yet. `follow`: the epoch that Postgres knows is older
   * than the content; an epoch is that of the content from then on.
   */
  readonly verdict: 'fine' | 'trust' | 'begin' | 'follow';
  /** Of the epoch that begins. */
  readonly reason: EpochReason;
  /** Redis has counted what Postgres has lost. */
  readonly behind: boolean;
}

/**
 * Judges the content of a server against the epoch that Postgres knows. Anything but the process that has had all of it so
 * far may lack what was counted last, so another epoch begins, and accounts are rebuilt.
 *
 * @param newestMs the last moment at which a replica has written to Postgres, as Postgres knows it. Redis learns of such a
 *   moment afterwards: if it knows a later one, Postgres has been restored to an earlier state
 */
export const judgeContent = (row: BookEpoch | undefined, content: BooksContent, newestMs: number): Judgement => {
  const { epoch, trusted, server, isUsed, markMs } = content;
  const behind = epoch !== '' && markMs > newestMs;
  const begin = (reason: EpochReason): Judgement => ({ verdict: 'begin', reason, behind: false });
  if (epoch === '') return begin(row ? 'empty' : isUsed ? 'adopted' : 'first');
  if (epoch !== row?.epoch) return behind ? { verdict: 'follow', reason: 'behind', behind } : begin('older');
  if (trusted === epoch) return { verdict: 'fine', reason: 'behind', behind };
  // What Redis has counted since is nowhere else.
  return server === row.server || behind ? { verdict: 'trust', reason: 'behind', behind } : begin('restarted');
};
