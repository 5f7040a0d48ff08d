import type { EventStore } from './postgres/event-store.ts';
import { MS_PER_HOUR } from '../base/utc-day.ts';

export interface PruneEventsOptions {
  readonly store: Pick<EventStore, 'prune'>;
  readonly retentionDays: number;
  readonly onPruned: (partitions: readonly string[]) => void;
  readonly onFailure: (fault: Error) => void;
}

const PRUNE_MS = MS_PER_HOUR;

/** Drops event partitions past their retention: at start, then every hour. */
export const createPruneEvents = ({ store, retentionDays, onPruned, onFailure }: PruneEventsOptions) => {
  let timer: NodeJS.Timeout | undefined;
  const prune = (): void => {
    store.prune(retentionDays, Date.now()).then((partitions) => partitions.length > 0 && onPruned(partitions), onFailure);
  };
  return {
    start: (): void => {
      prune();
      timer = setInterval(prune, PRUNE_MS);
    },
    stop: (): void => clearInterval(timer),
  };
};
