import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedDispatchers } from '../bidders/calls/guarded-dispatcher.ts';
import { MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';

/** What is to be sent. Of all replicas one takes a message, and for a time only: see `takeDue`. */
export interface DueStore<T> {
  takeDue(): Promise<T | undefined>;
  sent(message: T): Promise<void>;
  /** @param retryMs null: this message is given up */
  failed(message: T, fault: string, retryMs: number | null): Promise<void>;
}

export interface SendDueOptions<T> {
  readonly store: DueStore<T>;
  readonly send: (message: T) => Promise<void>;
  /** Of a message, before this attempt. */
  readonly attemptsOf: (message: T) => number;
  /** Runs before each pass, and may reject when the signal says that sending is stopped. */
  readonly prepare?: (signal: AbortSignal) => Promise<unknown>;
  readonly dispatchers: Pick<GuardedDispatchers, 'sweep' | 'close'>;
  readonly onFailure: (fault: Error) => void;
  readonly onNotSent: (fault: Error) => void;
}

const PAUSE_MS = 5_000;
/** After each attempt that failed; then the message is given up. */
const RETRIES_MS = [MS_PER_MINUTE, 5 * MS_PER_MINUTE, 30 * MS_PER_MINUTE, 2 * MS_PER_HOUR];
const MAX_FAULT_LENGTH = 500;

/** Sends what is due, again and again. A replica that dies while it sends lets another send again. */
export const createSendDue = <T>(options: SendDueOptions<T>) => {
  const { store, send, attemptsOf, prepare = () => Promise.resolve(), dispatchers, onFailure, onNotSent } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let pause = new AbortController();

  /** Sends what is due. Resolves to the number of attempts. */
  const pass = async (): Promise<number> => {
    for (let attempts = 0; ; attempts++) {
      const message = stopping.signal.aborted ? undefined : await store.takeDue();
      if (!message) return attempts;
      try {
        await send(message);
        await store.sent(message);
      } catch (fault) {
        onNotSent(fault as Error);
        await store.failed(message, (fault as Error).message.slice(0, MAX_FAULT_LENGTH), RETRIES_MS[attemptsOf(message)] ?? null);
      }
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await prepare(stopping.signal).catch((fault: Error) => {
        if (!stopping.signal.aborted) onFailure(fault);
      });
      await pass().catch(onFailure);
      dispatchers.sweep();
      await sleep(PAUSE_MS, undefined, { signal: AbortSignal.any([stopping.signal, pause.signal]) }).catch(() => undefined);
      pause = new AbortController();
    }
  };

  return {
    pass,
    start: (): void => {
      running ??= loop();
    },
    /** Begins the next pass now. */
    wake: (): void => pause.abort(),
    /** Resolves when the current message is sent. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
      await dispatchers.close();
    },
  };
};
