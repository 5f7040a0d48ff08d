import { answerWithin } from '../../redis/answer-within.ts';
import type { RedisCounters } from '../attempts.ts';

/** Someone at a screen of the tool. */
export interface Present {
  readonly id: number;
  readonly name: string;
}

/** Who has which record open. Nothing depends on it. */
export interface Presence {
  /** Notes that someone has a record open, and resolves to the others who have. Never rejects: without Redis there are none. */
  note(table: string, recordId: number, person: Present): Promise<readonly Present[]>;
}

/** A screen reports this often; what has missed two reports is closed. */
export const REPORT_S = 10;
const OPEN_S = 3 * REPORT_S;
const PATIENCE_MS = 500;
const MAX_SHOWN = 20;

export const createPresence = ({ redis, keys, countersUp }: RedisCounters): Presence => ({
  note: async (table, recordId, person) => {
    if (!countersUp()) return [];
    const key = keys.presence(table, recordId);
    const now = Date.now();
    const member = JSON.stringify([person.id, person.name]);
    const noted = redis
      .multi()
      .zadd(key, String(now), member)
      .zremrangebyscore(key, '-inf', String(now - OPEN_S * 1_000))
      .expire(key, OPEN_S)
      .zrange(key, '0', String(MAX_SHOWN))
      .exec();
    // The gauge of Redis shows a failure.
    const answers = await answerWithin(PATIENCE_MS, noted).catch(() => null);
    const [, members] = answers?.at(-1) ?? [];
    return ((members ?? []) as readonly string[])
      .map((text) => JSON.parse(text) as [number, string])
      .filter(([id]) => id !== person.id)
      .map(([id, name]) => ({ id, name }));
  },
});
