import type { BooksContent } from '../../ledger/books/books-server.ts';
import type { BookEpoch } from '../postgres/book-store.ts';

/** Why an epoch begins, in words for staff; with `first` and `adopted` nothing was lost. */
export const EPOCH_REASONS = {
  first: 'Redis keeps counters for the first time',
  adopted: 'Redis has the counters of an earlier release',
  empty: 'Redis had lost all of its counters',
  restarted: 'Redis was restarted, or another server took over; what it had counted last may be lost',
  older: 'Redis had counters of another moment',
} as const;
export type EpochReason = keyof typeof EPOCH_REASONS;

/** What follows from the content that a server has. */
export type Judgement =
  | { readonly verdict: 'fine' }
  /** The process has all of it, and this release has not looked yet. */
  | { readonly verdict: 'trust' }
  | { readonly verdict: 'begin'; readonly reason: EpochReason }
  /** Postgres is older than Redis: its epoch is that of the content. */
  | { readonly verdict: 'follow' };

/**
 * Judges the content of a server against the epoch that Postgres knows. Anything but the process that has had all of it so
 * far may lack what was counted last, so another epoch begins, and accounts are rebuilt.
 *
 * @param newestMs the last moment at which a replica has written to Postgres, as Postgres knows it. Redis learns of such a
 *   moment afterwards: if it knows a later one, Postgres has been restored to an earlier state
 */
export const judgeContent = (row: BookEpoch | undefined, content: BooksContent, newestMs: number): Judgement => {
  const { epoch, trusted, server, isUsed, markMs } = content;
  if (row && epoch === row.epoch) {
    if (trusted === epoch) return { verdict: 'fine' };
    return server === row.server ? { verdict: 'trust' } : { verdict: 'begin', reason: 'restarted' };
  }
  if (epoch !== '' && markMs > newestMs) return { verdict: 'follow' };
  if (epoch !== '') return { verdict: 'begin', reason: 'older' };
  if (row) return { verdict: 'begin', reason: 'empty' };
  return { verdict: 'begin', reason: isUsed ? 'adopted' : 'first' };
};
