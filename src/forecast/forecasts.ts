import { randomUUID } from 'node:crypto';
import type { Availability, AvailabilityQuestion } from './availability/availability.ts';
import type { ForecastQuestion } from './forecaster.ts';
import type { ForecastStore, StoredForecast } from './forecast-store.ts';
import type { ForecastWorker } from './run-forecast-worker.ts';

export interface ForecastsOptions {
  readonly store: ForecastStore;
  readonly worker: ForecastWorker;
  readonly onFailure: (fault: Error) => void;
  readonly quickMs?: number;
}

const QUICK_MS = 2_000;

/** Forecasts of this replica. */
export const createForecasts = ({ store, worker, onFailure, quickMs = QUICK_MS }: ForecastsOptions) => {
  const refreshing = new Set<number>();
  return {
    /** Resolves with what is known after two seconds at most; the rest is stored as it is known. Rejects when Postgres is unavailable. */
    ask: async (question: ForecastQuestion): Promise<StoredForecast> => {
      const id = randomUUID();
      const { publisherId, nowMs, lineItemId, models } = question;
      await store.begin(id, publisherId, { nowMs, lineItemId: lineItemId ?? null, models });
      let known: StoredForecast = { id, publisherId, state: 'running', progress: 0, answer: null, reason: null };
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(known), quickMs);
        const note = (change: Partial<StoredForecast>, isEnough: boolean): void => {
          known = { ...known, ...change };
          store.note(id, change).then((isWanted) => !isWanted && worker.cancel(id), onFailure);
          if (!isEnough) return;
          clearTimeout(timer);
          resolve(known);
        };
        worker.ask({ ask: 'line_item', id, question }, (reply) => {
          if (reply.tells === 'progress') note({ progress: reply.done }, false);
          else if (reply.tells === 'sampled') note({ answer: reply.answer }, true);
          else if (reply.tells === 'answer') note({ state: 'done', progress: 1, answer: reply.answer }, true);
          else if (reply.tells === 'failure') {
            note({ state: 'failed', answer: null, reason: reply.reason }, true);
            if (reply.fault !== undefined) onFailure(new Error(reply.fault));
          }
        });
      });
    },
    /** Resolves to whether it was running. */
    cancel: async (id: string): Promise<boolean> => {
      worker.cancel(id);
      return store.cancel(id);
    },
    /** What is sold of a part of the traffic; undefined: it could not be told. Another question does not delay it. */
    availability: (question: AvailabilityQuestion): Promise<Availability | undefined> =>
      new Promise((resolve) =>
        worker.ask({ ask: 'availability', id: randomUUID(), question }, (reply) => {
          if (reply.tells === 'failure') onFailure(new Error(reply.fault ?? reply.reason));
          resolve(reply.tells === 'availability' ? reply.availability : undefined);
        }),
      ),
    /** Replays all bookings of a publisher, once a day and whenever they changed; one replica does. */
    refreshBase: (publisherId: number, madeOn: string, nowMs: number): void => {
      if (refreshing.has(publisherId)) return;
      refreshing.add(publisherId);
      worker.ask({ ask: 'base', id: randomUUID(), publisherId, nowMs }, (reply) => {
        if (reply.tells === 'progress') return;
        refreshing.delete(publisherId);
        if (reply.tells === 'base') store.keepBase(publisherId, madeOn, reply.figures, reply.short).then(store.prune).catch(onFailure);
        else if (reply.tells === 'failure') onFailure(new Error(reply.fault ?? reply.reason));
      });
    },
  };
};

export type Forecasts = ReturnType<typeof createForecasts>;
