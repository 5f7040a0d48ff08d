import { createWriteDecisions } from '../events/decisions/write-decisions.ts';
import { createSampleDecisions } from '../serving/sample-decisions.ts';
import type { Foundation } from './lay-foundation.ts';

/** Hands a sample of requests and decisions to the sinks; undefined: DECISION_SAMPLE is 0, or there are no sinks. */
export const composeDecisions = ({ settings, sinks, log, metrics }: Foundation) => {
  if (settings.decisionSample === 0 || sinks.length === 0) return undefined;
  const write = createWriteDecisions({
    sinks: sinks.map(({ sink }) => sink),
    onWritten: (sink, rows) => metrics.sinkDecisions(sink, 'written', rows),
    onDropped: (sink, rows) => metrics.sinkDecisions(sink, 'dropped', rows),
    onFailure: (sink, fault) => log.warn('Sampled decisions could not be handed to a sink; they are lost', { sink, reason: fault.message }),
  });
  return { note: createSampleDecisions(settings.decisionSample, write.add), start: write.start, stop: write.stop };
};
