import { setTimeout as sleep } from 'node:timers/promises';

export interface RoundsOptions {
  /** Rejects when it fails, and may when it is stopped. */
  readonly round: (stopping: AbortSignal) => Promise<unknown>;
  /** Between two rounds; a function is called after each. */
  readonly pauseMs: number | (() => number);
  /** Of a round that failed, but not of one that was stopped. */
  readonly onFailure: (fault: Error) => void;
}

/** Work in the background: round after round, until it is stopped. */
export const createRounds = ({ round, pauseMs, onFailure }: RoundsOptions) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await round(signal);
      } catch (fault) {
        if (!signal.aborted) onFailure(fault as Error);
      }
      await sleep(typeof pauseMs === 'number' ? pauseMs : pauseMs(), undefined, { signal }).catch(() => undefined);
    }
  };

  return {
    start: (): void => {
      running ??= loop();
    },
    /** Resolves when the current round has ended. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};
