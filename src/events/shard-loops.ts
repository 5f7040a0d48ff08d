import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { RedisLink } from '../redis/redis-link.ts';

/** What is done with a shard, pass after pass. */
export interface ShardLoop {
  readonly shard: number;
  /** Resolves to how long to rest, in ms. May reject when `stopping` aborts. */
  pass(stopping: AbortSignal): Promise<number>;
  /** @param failures passes that failed before it, one after the other. @returns how long to rest, in ms */
  onFailure(fault: Error, failures: number): number;
  /** After the last pass. */
  finish(): Promise<void>;
}

export interface ShardLoopsOptions {
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly loops: readonly ShardLoop[];
  /** How often it is looked at whether a shard that is down is up again. */
  readonly downMs: number;
}

/** Runs loops beside each other, until they are stopped: a shard whose node or whose events fail delays no other. */
export const createShardLoops = ({ link, loops, downMs }: ShardLoopsOptions) => {
  const stopped = new AbortController();
  const { signal } = stopped;
  // A rest and a write of each.
  setMaxListeners(2 * loops.length + 1, signal);
  let running: Promise<unknown> | undefined;

  const run = async ({ shard, pass, onFailure, finish }: ShardLoop): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      let restMs = downMs;
      try {
        if (link.upOf(shard)) restMs = await pass(signal);
        failures = 0;
      } catch (fault) {
        restMs = onFailure(fault as Error, failures++);
      }
      if (restMs > 0) await setTimeout(restMs, undefined, { signal }).catch(() => undefined);
    }
    await finish();
  };

  return {
    start: (): void => {
      running ??= Promise.all(loops.map(run));
    },
    /** Resolves when each loop has ended its pass and finished. */
    stop: async (): Promise<void> => {
      stopped.abort();
      await running;
    },
  };
};
