import { setTimeout as sleep } from 'node:timers/promises';

const REST_FACTOR = 3;
const MAX_REST_MS = 1_000;

/**
 * Background work that comes in chunks rests for three times as long as a chunk took, a second at most,
 * so that requests find most of the core free. Resolves at once when the work is stopped.
 */
export const restAfter = async (tookMs: number, signal: AbortSignal): Promise<void> => {
  await sleep(Math.min(tookMs * REST_FACTOR, MAX_REST_MS), undefined, { signal }).catch(() => undefined);
};
