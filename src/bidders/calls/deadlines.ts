import { setMaxListeners } from 'node:events';
import type { RefusedCall } from './post-bid-request.ts';

/** The end of the time that some bidders of one ad request have. */
export interface Deadline {
  /** From the beginning. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  readonly passed: Promise<RefusedCall>;
}

export const createDeadlines = (budgetMs: number) => {
  const timers: NodeJS.Timeout[] = [];
  const byShare = new Map<number, Deadline>();
  const start = (shareMs: number): Deadline => {
    const controller = new AbortController();
    // One listener for each bidder of the request, by design.
    setMaxListeners(0, controller.signal);
    const passed = new Promise<RefusedCall>((resolve) => {
      const pass = (): void => {
        controller.abort();
        resolve({ kind: 'refused', outcome: 'timeout' });
      };
      timers.push(setTimeout(pass, shareMs));
    });
    return { budgetMs: shareMs, signal: controller.signal, passed };
  };
  return {
    /** One deadline per share, which begins with the first call. */
    of: (share: number): Deadline => {
      const known = byShare.get(share) ?? start(Math.max(1, budgetMs * share));
      byShare.set(share, known);
      return known;
    },
    clear: (): void => timers.forEach(clearTimeout),
  };
};
