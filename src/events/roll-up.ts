import type { Knex } from 'knex';
import { createRounds } from '../base/rounds.ts';
import { REQUEST_PARTS } from './postgres/request-parts.ts';
import { EVENT_BATCHES } from './postgres/roll-up-batches.ts';
import { countAll, countDue } from './postgres/waiting-rows.ts';

export interface RollUpOptions {
  readonly knex: Knex;
  /** How long stored rows are gathered before they are counted. */
  readonly everyMs: number;
  readonly onFailure: (fault: Error) => void;
}

/** A replica looks again a quarter of the interval after a count or a failure; else up to that after the next rows are due, each at its own moment. */
const LOOKS = 4;
const MAX_LOOK_MS = 5_000;
const MIN_LOOK_MS = 50;

const WAITING = [EVENT_BATCHES, REQUEST_PARTS];

/**
 * Counts event rows and what replicas counted, those of many batches and of all shards together: a thousand rows have about a thousand keys, and the
 * rows of half a minute have each key many times. Every replica looks when it is time, and one counts.
 */
export const createRollUp = ({ knex, everyMs, onFailure }: RollUpOptions) => {
  const lookMs = Math.min(Math.max(everyMs / LOOKS, MIN_LOOK_MS), MAX_LOOK_MS);
  let pauseMs = lookMs;
  const round = async (): Promise<void> => {
    pauseMs = lookMs;
    const dueInMs = await countDue(knex, WAITING, everyMs, onFailure);
    if (dueInMs > 0) pauseMs = dueInMs + Math.random() * lookMs;
  };
  const { start, stop } = createRounds({ round, pauseMs: () => pauseMs, onFailure });
  return {
    start,
    /** Resolves after a last count of everything: a replica that stops leaves nothing to count to those that may not come. */
    stop: async (): Promise<void> => {
      await stop();
      for (const one of WAITING) await countAll(knex, one).catch(onFailure);
    },
  };
};
