import type { Knex } from 'knex';
import { PROVISIONAL } from '../ledger/hit.ts';
import { filteredField } from '../ledger/ledger-keys.ts';
import { MAX_FIELDS, TALLIES, type Tally, type TallyBooks } from '../ledger/read/tally-books.ts';
import { tallyFields, tallyRows } from './postgres/tally-rows.ts';
import { createUncounted, inOneState, type Uncounted } from './postgres/uncounted.ts';
import { unstoredEvents, type UnstoredEvent } from './unstored-events.ts';

export interface CompareTalliesOptions {
  readonly knex: Knex;
  readonly books: TallyBooks;
  /** Default: one that has read nothing yet. */
  readonly uncounted?: Uncounted;
}

/**
 * Compares the tallies of filtered hits and of custom events, today's and yesterday's, with the
 * counts in Postgres, and corrects them unless `dryRun`. `rest` is called after each shard with its
 * duration; it may wait, and throws to stop. Resolves to how many fields differed. Rejects when a
 * store is unavailable.
 */
export type CompareTallies = (
  today: number,
  options: { readonly dryRun: boolean; readonly rest: (tookMs: number) => Promise<void> },
) => Promise<number>;

/** As createCompareAccounts, which says why this is exact under traffic. */
export const createCompareTallies = ({ knex, books, uncounted = createUncounted() }: CompareTalliesOptions): CompareTallies => {
  const compareFields = async (tally: Tally, shard: number, fields: readonly string[], dryRun: boolean): Promise<number> => {
    const before = await inOneState(knex, (trx) => tallyRows(trx, tally, fields, uncounted));
    const checked = await books.check(tally, shard, fields);
    const { entries } = checked;
    if (entries === undefined) return 0;
    const { after, unstored } = await knex.transaction(
      async (trx) => ({
        unstored: await unstoredEvents(trx, entries, (event) => books.shardOf(event.hit.ad.publisherId) === shard),
        after: await tallyRows(trx, tally, fields, uncounted),
      }),
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    if (unstored === undefined) return 0;
    const onTheWay = new Map<string, number>();
    for (const event of unstored)
      for (const [field, count] of FIELDS_OF[tally](event)) onTheWay.set(field, (onTheWay.get(field) ?? 0) + count);
    const differences = fields.flatMap((field, i): (readonly [string, number])[] => {
      const stored = after.get(field) ?? 0;
      const difference = stored + (onTheWay.get(field) ?? 0) - (checked.counts[i] ?? 0);
      return before.get(field) === stored && difference !== 0 ? [[field, difference]] : [];
    });
    if (differences.length > 0 && !dryRun) await books.adjust(tally, shard, checked, differences);
    return differences.length;
  };

  return async (today, { dryRun, rest }) => {
    let differences = 0;
    for (const tally of TALLIES) {
      await uncounted.keepFew(knex);
      const due = await tallyFields(knex, tally, today - 1, uncounted);
      for (let shard = 0; shard < books.shards; shard++) {
        const begun = performance.now();
        await uncounted.keepFew(knex);
        const ofShard = due.filter(({ publisherId }) => books.shardOf(publisherId) === shard).map(({ field }) => field);
        const fields = [...new Set([...ofShard, ...(await books.fields(tally, shard, today - 1))])];
        for (let from = 0; from < fields.length; from += MAX_FIELDS)
          differences += await compareFields(tally, shard, fields.slice(from, from + MAX_FIELDS), dryRun);
        await rest(performance.now() - begun);
      }
    }
    return differences;
  };
};

/** What an event adds to fields of a tally. */
const FIELDS_OF: Readonly<Record<Tally, (event: UnstoredEvent) => readonly (readonly [field: string, count: number])[]>> = {
  filtered: ({ hit: { ad, kind }, reason, hasProvisionalRow }) => {
    const fieldOf = (of: string) => `${ad.day}:${filteredField(ad.lineItemId, kind)}${of}`;
    return [...(reason === '' ? [] : [[fieldOf(reason), 1] as const]), ...(hasProvisionalRow ? [[fieldOf(PROVISIONAL), -1] as const] : [])];
  },
  eventTally: ({ hit: { ad, kind, eventType }, reason }) =>
    kind === 'event' && reason === '' ? [[`${ad.day}:${ad.lineItemId}:${eventType}`, 1]] : [],
};
