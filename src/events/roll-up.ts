import type { Knex } from 'knex';
import { createRounds } from '../base/rounds.ts';
import { rollUpAll, rollUpDue } from './postgres/roll-up-batches.ts';

export interface RollUpOptions {
  readonly knex: Knex;
  /** How long stored rows are gathered before they are counted. */
  readonly everyMs: number;
  readonly onFailure: (fault: Error) => void;
}

const MAX_LOOK_MS = 5_000;
const MIN_LOOK_MS = 50;
const LOOKS = 4;

/**
 * Counts event rows, those of many batches and of all shards together: a thousand rows have about a thousand keys, and the rows of half a
 * minute have each key many times. Every replica looks whether it is time, and one counts.
 */
export const createRollUp = ({ knex, everyMs, onFailure }: RollUpOptions) => {
  const lookMs = Math.min(Math.max(everyMs / LOOKS, MIN_LOOK_MS), MAX_LOOK_MS);
  const { start, stop } = createRounds({ round: () => rollUpDue(knex, everyMs), pauseMs: lookMs, onFailure });
  return {
    start,
    /** Resolves after a last count of everything: a replica that stops leaves nothing to count to those that may not come. */
    stop: async (): Promise<void> => {
      await stop();
      await rollUpAll(knex).catch(onFailure);
    },
  };
};
