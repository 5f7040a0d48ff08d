import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import { hasEvents } from '../export/read-events.ts';
import { compareSink, type SinkComparison } from './compare-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import type { SinkDays } from './sink-days.ts';

export interface ReconcileSinksOptions {
  readonly knex: Knex;
  readonly sinks: readonly ConfiguredSink[];
  readonly days: SinkDays;
  /** How often a day is compared again; 0: never. */
  readonly everyMs: number;
  readonly pauseMs?: number;
  /** A day was compared, and the hours that differed were handed to the sink again. */
  readonly onCompared: (sink: string, day: string, found: SinkComparison) => void;
  readonly onFailure: (fault: Error) => void;
}

const PAUSE_MS = 5 * MS_PER_MINUTE;
/** The days before today whose late hits and judgements a sink may lack. */
const ENDED_DAYS = [1, 2] as const;
/** Of one day. */
const COMPARE_MS = MS_PER_HOUR;

/**
 * Compares the last days of each sink, and those whose rows were changed, with the event rows, and hands the sink what differs. A day
 * of a sink is compared by one replica, and sinks at the same time: one that is away keeps no other waiting.
 */
export const createReconcileSinks = ({ knex, sinks, days, everyMs, pauseMs = PAUSE_MS, ...observer }: ReconcileSinksOptions) => {
  const stopping = new AbortController();
  const readable = sinks.filter(({ sink }) => sink.count);
  let running: Promise<void> | undefined;

  const compareNext = async (configured: ConfiguredSink): Promise<boolean> => {
    const { name } = configured.sink;
    const today = dayOf(Date.now());
    const date = await days.claim(
      name,
      ENDED_DAYS.map((ago) => dateOfDay(today - ago)),
      everyMs,
    );
    if (date === undefined) return false;
    const day = dayOf(Date.parse(`${date}T00:00:00Z`));
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(COMPARE_MS)]);
    try {
      // The rows of a day past EVENT_RETENTION are gone: what the sink has of it stays.
      const found = (await hasEvents(knex, day)) ? await compareSink(knex, configured, day, { dryRun: false, signal }) : undefined;
      await days.compared(name, date, found?.hours.length ?? 0);
      if (found) observer.onCompared(name, date, found);
      return true;
    } catch (fault) {
      await days.release(name, date);
      throw fault;
    }
  };

  const round = async (configured: ConfiguredSink): Promise<void> => {
    try {
      while (!stopping.signal.aborted && (await compareNext(configured)));
    } catch (fault) {
      if (!stopping.signal.aborted) observer.onFailure(fault as Error);
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await Promise.all(readable.map(round));
    }
  };

  return {
    start: (): void => {
      if (everyMs > 0 && readable.length > 0) running ??= loop();
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};
