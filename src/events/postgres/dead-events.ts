import type { Knex } from 'knex';

/**
 * `events`: an entry of an event stream; `serves`: a count of the serves tally; `hits`: a row of
 * pending_hits; `sink:` and its name: an event that a sink refused.
 */
export type DeadSource = 'events' | 'serves' | 'hits' | `sink:${string}`;

/** What Postgres refused for a lasting reason, or what could not be read. */
export interface DeadEvent {
  readonly source: DeadSource;
  readonly shard: number;
  /** The id of the stream entry or of the row, or the field of the tally. */
  readonly entryId: string;
  /** The fields of the stream entry, the field of the tally and its count, or the payload of the row. */
  readonly fields: readonly string[];
  /** null: the entry could not be read. */
  readonly sqlState: string | null;
  readonly reason: string;
}

export interface StoredDeadEvent extends DeadEvent {
  readonly id: string;
}

/** The dead-letter table. Each method rejects when Postgres is unavailable. */
export const createDeadEvents = ({ knex }: { readonly knex: Knex }) => {
  const read = async (where: string, ...values: (string | number)[]): Promise<readonly StoredDeadEvent[]> => {
    const { rows } = await knex.raw<{ rows: (Omit<StoredDeadEvent, 'fields'> & { readonly payload: string })[] }>(
      `select id, source, shard, entry_id as "entryId", payload, sqlstate as "sqlState", reason from dead_events
       where ${where} order by id limit ?`,
      values,
    );
    return rows.map(({ payload, ...row }) => ({ ...row, fields: JSON.parse(payload) as string[] }));
  };
  return {
    /** Stores it once, even if it is passed repeatedly. */
    add: async ({ source, shard, entryId, fields, sqlState, reason }: DeadEvent): Promise<void> => {
      // Postgres refuses the character NUL in text. JSON escapes it in the payload; the message of a
      // JSON error may quote it.
      const text = (value: string) => value.replaceAll('\0', '\\u0000');
      const row = { source, shard, entry_id: text(entryId), payload: JSON.stringify(fields), sqlstate: sqlState, reason: text(reason) };
      await knex('dead_events').insert(row).onConflict().ignore();
    },
    count: async (): Promise<number> => {
      const { rows } = await knex.raw<{ rows: { count: number }[] }>('select count(*)::int as count from dead_events');
      return rows[0]?.count ?? 0;
    },
    /** Up to `limit` of them after the one with the id `afterId` ('0': from the first). */
    read: (afterId: string, limit: number): Promise<readonly StoredDeadEvent[]> => read('id > ?', afterId, limit),
    /** Up to `limit` of those that have no event row: not those of sinks, serves and hits. */
    readEvents: (limit: number): Promise<readonly StoredDeadEvent[]> => read(`source = 'events'`, limit),
    remove: async (id: string): Promise<void> => {
      await knex('dead_events').where({ id }).delete();
    },
  };
};

export type DeadEvents = ReturnType<typeof createDeadEvents>;
