import { randomUUID } from 'node:crypto';
import { createDeadEvents } from '../events/postgres/dead-events.ts';
import { createFillGaps } from '../events/sinks/fill-gaps.ts';
import { createSinkDrain } from '../events/sinks/sink-drain.ts';
import { createSinkGaps } from '../events/sinks/sink-gaps.ts';
import { createSinkAges, createSinkLags } from '../events/sinks/sink-lags.ts';
import { createSinkMarks } from '../events/sinks/sink-marks.ts';
import { createReadContexts } from '../events/sinks/to-sink-event.ts';
import { createWatchUnnamedSinks } from '../events/sinks/unnamed-sinks.ts';
import { createReconcileSinks } from '../events/sinks/reconcile-sinks.ts';
import { createSinkDays } from '../events/sinks/sink-days.ts';
import { createReadUnstored } from '../ledger/read/oldest-unstored.ts';
import type { Foundation } from './lay-foundation.ts';

/**
 * Hands events to the sinks of SINKS. Without any, Postgres's entries are deleted as they are stored, and all that runs is a look, each minute, at whether
 * other replicas have some.
 */
export const composeSinks = ({ settings, sinks, log, metrics, observe, stores }: Foundation, replicas: () => number) => {
  const { knex, backgroundRedis: redis, backgroundLink: link, keys } = stores;
  const names = sinks.map(({ sink }) => sink.name);
  const unnamed = createWatchUnnamedSinks({
    ...{ redis, link, keys, names },
    onFound: ({ name, lastMs, isServed }) => {
      const details = { sink: name, last: new Date(lastMs).toISOString() };
      if (isServed)
        log.error(
          'Other replicas hand events to a sink that SINKS of this one does not name: what this one stores first, it lacks',
          details,
        );
      else log.warn('SINKS does not name a sink that was handed events this week: it gets none from now on', details);
    },
  });
  metrics.watch({ sinksNotNamed: unnamed.served });
  if (sinks.length === 0) return { finish: undefined, start: unnamed.start, stop: unnamed.stop };
  const gaps = createSinkGaps({ knex });

  const marks = createSinkMarks({ redis, keys, sinks: names, replica: randomUUID() });
  const drain = createSinkDrain({
    ...{ redis, link, keys, sinks, marks, gaps, replicas, deadEvents: createDeadEvents({ knex }), readContexts: createReadContexts(knex) },
    lagLimit: Math.ceil(settings.sinkLagLimit / keys.shards),
    onWritten: (sink, events) => metrics.sinkEvents(sink, 'written', events),
    onFailure: (sink, fault) => {
      metrics.sinkEvents(sink, 'failed', 1);
      log.warn('Events could not be handed to a sink; they wait', { sink, reason: fault.message });
    },
    onSpilled: ({ sink, shard, hours }, events) => {
      metrics.sinkEvents(sink, 'passed_over', events);
      log.error('A sink is too far behind: events were passed over, and are filled in later', { sink, shard, hours });
    },
    onDead: (sink, dead) => {
      metrics.sinkEvents(sink, 'refused', 1);
      observe.eventDied(dead);
    },
  });
  const filler = createFillGaps({
    ...{ knex, sinks, gaps, readUnstored: createReadUnstored({ redis, keys }) },
    onFilled: (sink, hour, events) => {
      metrics.sinkEvents(sink, 'filled', events);
      log.info('Events that a sink had passed over were filled in', { sink, ...hour, events });
    },
    onLost: (sink, hour) => log.error('A sink lacks events that are no longer stored', { sink, ...hour }),
    onFailure: observe.storeFailed('fill_sinks', 'What a sink lacks could not be filled in'),
  });
  const days = createSinkDays({ knex });
  const reconciler = createReconcileSinks({
    ...{ knex, sinks, days, everyMs: settings.sinkReconcileMs },
    onCompared: (sink, day, { hours, differences, replayed }) => {
      metrics.sinkEvents(sink, 'handed_again', replayed);
      if (hours.length === 0) log.info('A sink has what Postgres has', { sink, day });
      else log.warn('A sink differed from the event rows; these hours were handed to it again', { sink, day, hours, differences });
    },
    onFailure: observe.storeFailed('reconcile_sinks', 'A sink could not be compared with the event rows'),
  });
  metrics.watch({ sinkDifferingHours: days.hoursBySink, sinkComparedAgeSeconds: days.ageBySink });
  metrics.watch({ sinkLagSeconds: createSinkLags(createSinkAges({ redis, link, keys }), names), sinkGapHours: gaps.countBySink });

  return {
    finish: marks.finish,
    start: (): void => {
      unnamed.start();
      drain.start();
      filler.start();
      reconciler.start();
    },
    stop: async (): Promise<void> => {
      await Promise.all([unnamed.stop(), filler.stop(), reconciler.stop()]);
      await drain.stop();
    },
  };
};
