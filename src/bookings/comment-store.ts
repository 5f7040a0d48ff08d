import type { Knex } from 'knex';
import { show, type Columns, type Shown } from '../api/columns.ts';
import { described, integer, moment, orNull, text, textOf } from '../base/schema.ts';

/** The kinds of records that have comments, and the column that names one. */
export const COMMENTED = { campaigns: 'campaign_id', line_items: 'line_item_id' } as const;
export type Commented = keyof typeof COMMENTED;

interface CommentRow {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly text: string;
  readonly day: string | null;
}

/** Of a comment that is a note on the charts of its record. */
export const COMMENT_DAY = orNull(textOf({ format: 'date' }), {
  description: 'The day that it is about: charts mark it there; null: none',
});

export const COMMENT_COLUMNS = {
  id: { schema: integer, of: ({ id }) => Number(id) },
  at: { schema: moment, of: ({ at }) => at.toISOString() },
  actor: { schema: described(text, 'The name of the token that wrote it'), of: ({ actor }) => actor },
  text: { schema: text, of: (row) => row.text },
  day: { schema: COMMENT_DAY, of: (row) => row.day },
} satisfies Columns<CommentRow>;

export type Comment = Shown<typeof COMMENT_COLUMNS>;

/** Comments of staff. Every method rejects when Postgres is away. */
export interface CommentStore {
  /** Newest first. undefined: there is no such record. */
  list(of: Commented, id: number, page: { readonly limit: number; readonly offset: number }): Promise<readonly Comment[] | undefined>;
  /** undefined: there is no such record. */
  add(of: Commented, id: number, actor: string, written: Pick<Comment, 'text' | 'day'>): Promise<Comment | undefined>;
  /** False: there is none with this id, or another actor wrote it. */
  remove(id: number, actor: string): Promise<boolean>;
}

const NAMES = ['id', 'at', 'actor', 'text'] as const;
const DAY = `to_char(day, 'YYYY-MM-DD') as day`;
const FOREIGN_KEY_VIOLATION = '23503';

export const createCommentStore = ({ knex }: { readonly knex: Knex }): CommentStore => ({
  list: async (of, id, { limit, offset }) => {
    if (!(await knex(of).where({ id }).first('id'))) return undefined;
    const rows = await knex('comments')
      .where({ [COMMENTED[of]]: id })
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .select<CommentRow[]>(...NAMES, knex.raw(DAY));
    return rows.map((row) => show(COMMENT_COLUMNS, row));
  },

  add: async (of, id, actor, written) => {
    try {
      const [row] = await knex('comments')
        .insert({ [COMMENTED[of]]: id, actor, ...written })
        .returning<CommentRow[]>([...NAMES, knex.raw(DAY)]);
      return row && show(COMMENT_COLUMNS, row);
    } catch (fault) {
      if ((fault as { code?: unknown }).code === FOREIGN_KEY_VIOLATION) return undefined;
      throw fault;
    }
  },

  remove: async (id, actor) => (await knex('comments').where({ id, actor }).delete()) > 0,
});
