import { setMaxListeners } from 'node:events';
import type { RefusedCall } from './post-bid-request.ts';

/** The end of the time that some bidders of one ad request have. */
export interface Deadline {
  /** From the beginning. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  readonly passed: Promise<RefusedCall>;
}

export interface Deadlines {
  /** One deadline per share, which begins with the first call. */
  readonly of: (share: number) => Deadline;
  readonly clear: () => void;
}

export const createDeadlines = (budgetMs: number): Deadlines => {
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
    of: (share) => {
      const known = byShare.get(share) ?? start(Math.max(1, budgetMs * share));
      byShare.set(share, known);
      return known;
    },
    clear: () => timers.forEach(clearTimeout),
  };
};
