import type { Knex } from 'knex';
import { tryLock } from '../../base/advisory-locks.ts';
import { createRounds } from '../../base/rounds.ts';
import { dayOf } from '../../base/utc-day.ts';
import { entryMs, type ReadUnstored } from '../../ledger/read/oldest-unstored.ts';
import { hasEvents } from '../export/read-events.ts';
import type { SinkHour } from './event-sink.ts';
import type { ConfiguredSink } from './open-sinks.ts';
import { isHourOver } from './read-entries.ts';
import { replayHour } from './replay-hour.ts';
import type { SinkGap, SinkGaps } from './sink-gaps.ts';

export interface FillGapsOptions {
  readonly knex: Knex;
  readonly sinks: readonly ConfiguredSink[];
  readonly gaps: SinkGaps;
  readonly readUnstored: ReadUnstored;
  readonly pauseMs?: number;
  readonly onFilled: (sink: string, hour: SinkHour, events: number) => void;
  /** EVENT_RETENTION has passed: the hour cannot be filled any more. */
  readonly onLost: (sink: string, hour: SinkHour) => void;
  readonly onFailure: (fault: Error) => void;
}

const PAUSE_MS = 30_000;

/** Fills the hours that sinks lack (sink-gaps.ts) from the stored events, when these are complete. Of all replicas one does. */
export const createFillGaps = ({ knex, sinks, gaps, readUnstored, pauseMs = PAUSE_MS, ...observer }: FillGapsOptions) => {
  /** Whether Postgres has all that was passed over. */
  const isStored = async ({ shards }: SinkGap): Promise<boolean> => {
    for (const { shard, to } of shards) if (entryMs((await readUnstored(shard)).oldest) <= entryMs(to)) return false;
    return true;
  };

  const fill = async (configured: ConfiguredSink, gap: SinkGap, stopping: AbortSignal): Promise<void> => {
    const { sink } = configured;
    const hour = { day: gap.day, hour: gap.hour };
    if ((sink.replaceHour && !isHourOver(gap.hour, Date.now())) || !(await isStored(gap))) return;
    if (await hasEvents(knex, dayOf(Date.parse(`${gap.day}T00:00:00Z`))))
      observer.onFilled(sink.name, hour, await replayHour(knex, configured, hour, stopping));
    else observer.onLost(sink.name, hour);
    await gaps.close(gap.ids);
  };

  const round = (stopping: AbortSignal): Promise<void> =>
    knex.transaction(async (trx) => {
      if (!(await tryLock(trx, 'gaps'))) return;
      // One sink that is away does not keep the others waiting.
      const filled = await Promise.allSettled(
        sinks.map(async (configured) => {
          for (const gap of await gaps.open(configured.sink.name)) {
            stopping.throwIfAborted();
            // The lock is lost with its transaction.
            await trx.raw('select 1');
            await fill(configured, gap, stopping);
          }
        }),
      );
      for (const one of filled) if (one.status === 'rejected' && !stopping.aborted) observer.onFailure(one.reason as Error);
    });

  return createRounds({ round, pauseMs, onFailure: observer.onFailure });
};
