import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { dayOf } from '../../base/utc-day.ts';
import type { HitKind, HitState } from '../../ledger/hit.ts';
import { arrayLiteral } from './array-literal.ts';
import { BATCHES_FOUND, EVENT_BATCHES, FIND_BATCHES, findBatchesFast } from './roll-up-batches.ts';
import { countMany } from './waiting-rows.ts';

/** Event rows that are in no count yet and are alike. */
export interface UncountedRows {
  /** Of the selection, in days since the epoch. */
  readonly day: number;
  readonly publisherId: number;
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly kind: HitKind;
  readonly eventType: string;
  readonly reason: HitState;
  /** The hold that each of them settles, epoch ms; null: none. */
  readonly holdEndMs: number | null;
  readonly count: number;
  readonly micros: number;
}

const BATCHES = `select batch, array(select to_char(day, 'YYYY-MM-DD') from unnest(days) as day) as days from event_batches`;

const ROWS = `
  select batch, publisher_id as "publisherId", campaign_id as "campaignId", line_item_id as "lineItemId", kind, event_type as "eventType",
         invalid_reason as reason, hold_end::float8 as "holdEndMs", count(*)::int as count, sum(billed_micros)::float8 as micros
  from events where day = ?::date and batch = any(?::bigint[]) group by 1, 2, 3, 4, 5, 6, 7, 8`;

/** Reads what event rows will add to counts. */
export interface Uncounted {
  /**
   * Makes the next reads cheap: what waits is counted if it is much, and the rest can be found. Not in a transaction. Rejects when Postgres is
   * unavailable.
   */
  keepFew(knex: Knex): Promise<void>;
  /**
   * The rows that are in no count, as the transaction sees them. Rejects when Postgres is unavailable.
   *
   * @param trx sees one state of the database
   * @param publishers only their rows; undefined: all
   */
  read(trx: Knex, publishers?: ReadonlySet<number>): Promise<readonly UncountedRows[]>;
}

/** By publisher: a batch is of one shard, and so of few. */
type Batch = ReadonlyMap<number, readonly UncountedRows[]>;

export interface UncountedOptions {
  /** Fewer rows than this are read rather than counted. */
  readonly fewRows?: number;
}

/** Some 25 MB, and as many as one transaction counts. */
const FEW_ROWS = 100_000;

/**
 * A batch does not change until it is counted (move-rows.ts), so each is read once, however often one asks within its half a minute: the
 * comparison of the books asks for each publisher.
 */
export const createUncounted = ({ fewRows = FEW_ROWS }: UncountedOptions = {}): Uncounted => {
  let known: ReadonlyMap<string, Batch> = new Map();
  return {
    keepFew: async (knex) => {
      await countMany(knex, EVENT_BATCHES, fewRows);
      await findBatchesFast(knex);
    },
    read: async (trx, publishers) => {
      // Another call, which sees another state, may go on with others meanwhile.
      const before = known;
      const { rows: batches } = await trx.raw<{ rows: { batch: string; days: string[] }[] }>(BATCHES);
      const unread = batches.filter(({ batch }) => !before.has(batch));
      const found = new Map<string, UncountedRows[]>(unread.map(({ batch }) => [batch, []]));
      if (unread.length > 0) await trx.raw(FIND_BATCHES);
      for (const date of new Set(unread.flatMap(({ days }) => days))) {
        const ofDay = unread.filter(({ days }) => days.includes(date)).map(({ batch }) => batch);
        const { rows } = await trx.raw<{ rows: (UncountedRows & { readonly batch: string })[] }>(ROWS, [date, arrayLiteral(ofDay)]);
        for (const { batch, ...row } of rows) found.get(batch)?.push({ ...row, day: dayOf(Date.parse(date)) });
      }
      if (unread.length > 0) await trx.raw(BATCHES_FOUND);
      const seen = new Map(
        batches.map(({ batch }): [string, Batch] => [
          batch,
          before.get(batch) ?? groupBy(found.get(batch) ?? [], ({ publisherId }) => publisherId),
        ]),
      );
      known = seen;
      return [...seen.values()].flatMap((batch) =>
        [...batch].flatMap(([publisherId, rows]) => (publishers === undefined || publishers.has(publisherId) ? rows : [])),
      );
    },
  };
};

/** Runs `work` in one state of the database: in the transaction that there is, or in another one. */
export const inOneState = <T>(knex: Knex, work: (trx: Knex) => Promise<T>): Promise<T> =>
  knex.isTransaction === true ? work(knex) : knex.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
