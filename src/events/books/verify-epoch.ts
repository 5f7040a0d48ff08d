import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { BooksServer, BooksState } from '../../ledger/books/books-server.ts';
import type { BookEpoch, BookStore } from '../postgres/book-store.ts';
import { EPOCH_REASONS, judgeContent, type EpochReason } from './judge-content.ts';

export interface VerifyEpochOptions {
  readonly store: BookStore;
  readonly server: BooksServer;
  /** Records in the transaction that begins an epoch that data was lost. */
  readonly recordLoss: (trx: Knex.Transaction, epoch: BookEpoch) => Promise<void>;
}

export interface VerifiedEpoch {
  readonly row: BookEpoch;
  /** It began here. */
  readonly isNew: boolean;
}

/**
 * Looks at the content of a scope, and begins another epoch if it must; while another replica does, it is waited for. Resolves to
 * the epoch that Postgres and Redis then agree on, or undefined when `signal` ends the wait. Rejects when a store is unavailable.
 */
export type VerifyEpoch = (scope: number, signal: AbortSignal) => Promise<VerifiedEpoch | undefined>;

/** A replica that begins an epoch needs some milliseconds, on a busy machine some tens. */
const LOCKED_MS = 5;
const MAX_LOCKED_MS = 40;

export const createVerifyEpoch = ({ store, server, recordLoss }: VerifyEpochOptions): VerifyEpoch => {
  /** The content first: a mark that it has is in Postgres by then. */
  const examine = async (scope: number, trx?: Knex.Transaction) => {
    const content = await server.look(scope);
    const { row, newestMs } = await store.readEpoch(scope, trx);
    return { content, row, judgement: judgeContent(row, content, newestMs) };
  };

  const begin = async (trx: Knex.Transaction, scope: number, reason: EpochReason): Promise<BookEpoch> => {
    const isLoss = reason !== 'first' && reason !== 'adopted';
    const state: BooksState = isLoss || (reason === 'first' && (await store.hasHistory(trx))) ? 'rebuilding' : 'open';
    const epoch = randomUUID();
    // First in Redis: a replica that knows the earlier epoch sells nothing from then on, and one that knows this epoch
    // knows it from Postgres.
    const content = await server.open(scope, epoch, state);
    const openedMs = state === 'rebuilding' ? content.nowMs : 0;
    const begun: BookEpoch = { scope, epoch, state, server: content.server, openedMs, reason: EPOCH_REASONS[reason], behind: false };
    await store.saveEpoch(trx, begun);
    if (isLoss) await recordLoss(trx, begun);
    return begun;
  };

  /** Under the lock: looks once more, and begins another epoch or trusts what is there. */
  const settle = async (trx: Knex.Transaction, scope: number): Promise<VerifiedEpoch> => {
    const { content, row, judgement } = await examine(scope, trx);
    const { verdict, reason, behind } = judgement;
    if (verdict === 'begin') return { row: await begin(trx, scope, reason), isNew: true };
    const trusted = verdict === 'fine' ? content : await server.trust(scope, content.epoch, content.server);
    const state = trusted.state || 'rebuilding';
    const kept: BookEpoch = {
      ...{ scope, epoch: trusted.epoch, server: trusted.server, openedMs: row?.openedMs ?? 0 },
      ...(behind ? { state, behind, reason: EPOCH_REASONS[reason] } : { state: row?.state ?? state, behind, reason: row?.reason ?? '' }),
    };
    await store.saveEpoch(trx, kept);
    return { row: kept, isNew: false };
  };

  return async (scope, signal) => {
    for (let waitMs = LOCKED_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_LOCKED_MS)) {
      const { row, judgement } = await examine(scope);
      if (row && judgement.verdict === 'fine' && !judgement.behind) return { row, isNew: false };
      const settled = await store.underEpochLock(scope, (trx) => settle(trx, scope));
      if (settled) return settled;
      await sleep(waitMs);
    }
    return undefined;
  };
};
