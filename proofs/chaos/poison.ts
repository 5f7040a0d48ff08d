import { dayOf } from '../../src/base/utc-day.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import type { LedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { hitOf } from '../rig/hit-by-hand.ts';
import type { Lane } from './lane.ts';
import type { Violation } from './model.ts';

/** Entries and rows that can never be stored or folded. */
export interface Poison {
  /** An entry of an event stream that Postgres refuses, or one that cannot be read. */
  addEvent(publisherId: number, readable: boolean, atMs: number): Promise<void>;
  /** A row of pending_hits that is not a hit. */
  addHit(publisherId: number): Promise<void>;
  /** Whether the fields of a dead event, or the text of an entry, are of these. */
  isPoison(text: string): boolean;
  /** Whether each of them, and nothing else, is a dead event. */
  check(): Promise<readonly Violation[]>;
}

const MARK = 'poison-';

export const createPoison = ({ knex, observer: { redis } }: Lane, keys: LedgerKeys): Poison => {
  let [events, hits] = [0, 0];
  return {
    addEvent: async (publisherId, readable, atMs) => {
      const { ad, ...hit } = hitOf(publisherId, `${MARK}${++events}`);
      const day = dayOf(atMs);
      const text = readable ? hitText({ ...hit, ad: { ...ad, day, lineItemId: 2 ** 40 } }) : `{"${ad.tokenId}":`;
      const fields = ['e', text, 'at', String(atMs), 'billed', '0'];
      const key = keys.events(keys.shardOf(publisherId));
      // The clock may have stepped back behind the last entry.
      await redis.xadd(key, `${atMs}-*`, ...fields).catch(() => redis.xadd(key, '*', ...fields));
    },
    addHit: async (publisherId) => {
      const jti = `${MARK}${++hits}`;
      await knex('pending_hits').insert({ jti, kind: 'impression', shard: keys.shardOf(publisherId), payload: { ad: jti } });
    },
    isPoison: (text) => text.includes(MARK),
    check: async () => {
      const { rows } = await knex.raw<{ rows: { source: string; count: number }[] }>(
        'select source, count(*)::int as count from dead_events group by source',
      );
      const found = (source: string): number => rows.find((row) => row.source === source)?.count ?? 0;
      return [
        ['events', events],
        ['hits', hits],
        ['serves', 0],
      ].flatMap(([source, due]) =>
        found(String(source)) === due ? [] : [{ rule: 'dead', text: `${found(String(source))} dead ${source}, poisoned were ${due}` }],
      );
    },
  };
};
