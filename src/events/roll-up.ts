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

const MAX_LOOK_MS = 5_000;
const MIN_LOOK_MS = 50;
const LOOKS = 4;

const WAITING = [EVENT_BATCHES, REQUEST_PARTS];

/**
 * Counts event rows and what replicas counted, those of many batches and of all shards together: a thousand rows have about a thousand keys, and the
 * rows of half a minute have each key many times. Every replica looks whether it is time, and one counts.
 */
export const createRollUp = ({ knex, everyMs, onFailure }: RollUpOptions) => {
  const lookMs = Math.min(Math.max(everyMs / LOOKS, MIN_LOOK_MS), MAX_LOOK_MS);
  const countEach = async (count: typeof countAll): Promise<void> => {
    for (const waiting of WAITING) await count(knex, waiting).catch(onFailure);
  };
  const { start, stop } = createRounds({
    round: () => countEach((_, waiting) => countDue(knex, waiting, everyMs)),
    pauseMs: lookMs,
    onFailure,
  });
  return {
    start,
    /** Resolves after a last count of everything: a replica that stops leaves nothing to count to those that may not come. */
    stop: async (): Promise<void> => {
      await stop();
      await countEach(countAll);
    },
  };
};
