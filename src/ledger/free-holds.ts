import { LRUCache } from 'lru-cache';
import { CLIENT_RULE, holdWeight } from './client-rule.ts';

/**
 * What clients may hold without the ledger counting it: the rule of lua/clients.lua with smaller
 * figures, by what this replica serves and sees rendered. Ordinary visitors therefore cost Redis
 * nothing: reading and writing their records took 2 to 4 µs of each ad. A client that holds more is
 * named to the ledger, which decides. May be lost at any time: then a client begins anew here.
 */
export interface FreeHolds {
  /** Whether a client may hold so many more ads of a publisher, by their weight. */
  allows(publisherId: number, client: string, ads: number, nowMs: number): boolean;
  hold(publisherId: number, client: string, lifeMs: number, nowMs: number): void;
  /** An ad was rendered, whichever replica served it. */
  render(publisherId: number, client: string, lifeMs: number, nowMs: number): void;
}

/** Per replica: a client, and all clients of a publisher together that have rendered nothing here. */
const MAX_FREE = 4;
const MAX_FREE_OF_NEWCOMERS = 50;
/** For each of them that renders its first: of ordinary visitors more than one in three does. */
const FREE_PROOF_OF_NEWCOMERS = 2;

const MAX_CLIENTS = 50_000;
const MAX_PUBLISHERS = 10_000;

interface ClientRecord {
  held: number;
  rendered: number;
  period: number;
}

const recordIn = <Key extends string | number>(records: LRUCache<Key, ClientRecord>, key: Key, nowMs: number): ClientRecord => {
  const period = Math.floor(nowMs / CLIENT_RULE.periodMs);
  let record = records.get(key);
  if (!record) records.set(key, (record = { held: 0, rendered: 0, period }));
  if (record.period < period) {
    const part = 0.5 ** (period - record.period);
    record.held = Math.floor(record.held * part);
    record.rendered = Math.floor(record.rendered * part);
    record.period = period;
  }
  return record;
};

const isNew = ({ rendered }: ClientRecord): boolean => rendered < 1;

export const createFreeHolds = (): FreeHolds => {
  const clients = new LRUCache<string, ClientRecord>({ max: MAX_CLIENTS });
  const newcomers = new LRUCache<number, ClientRecord>({ max: MAX_PUBLISHERS });
  const clientOf = (publisherId: number, client: string, nowMs: number) => recordIn(clients, `${publisherId} ${client}`, nowMs);
  return {
    allows: (publisherId, client, ads, nowMs) => {
      const own = clientOf(publisherId, client, nowMs);
      if (own.held + ads > MAX_FREE + CLIENT_RULE.proof * own.rendered) return false;
      if (!isNew(own)) return true;
      const all = recordIn(newcomers, publisherId, nowMs);
      return all.held + ads <= MAX_FREE_OF_NEWCOMERS + FREE_PROOF_OF_NEWCOMERS * all.rendered;
    },
    hold: (publisherId, client, lifeMs, nowMs) => {
      const own = clientOf(publisherId, client, nowMs);
      own.held += holdWeight(lifeMs);
      if (isNew(own)) recordIn(newcomers, publisherId, nowMs).held += holdWeight(lifeMs);
    },
    render: (publisherId, client, lifeMs, nowMs) => {
      const own = clientOf(publisherId, client, nowMs);
      if (isNew(own)) {
        const all = recordIn(newcomers, publisherId, nowMs);
        all.held = Math.max(all.held - own.held, 0);
        all.rendered++;
      }
      own.held = Math.max(own.held - holdWeight(lifeMs), 0);
      own.rendered++;
    },
  };
};

/** For a dry run, which holds nothing. */
export const NO_HOLDS: FreeHolds = { allows: () => true, hold: () => undefined, render: () => undefined };
