import type { Knex } from 'knex';
import type { BookingDraft, WholeBookingDraft } from './booking-draft-api.ts';

/** Of one person. */
export const MAX_BOOKING_DRAFTS = 200;
export const MAX_KEY_LENGTH = 64;

type Row<T extends BookingDraft> = Omit<T, 'changed_at'> & { readonly changed_at: Date };
const shown = <T extends BookingDraft>(row: Row<T>): T => ({ ...row, changed_at: row.changed_at.toISOString() }) as unknown as T;

/** Drafts and templates of each person. Every method rejects when Postgres is away. */
export const createBookingDraftStore = ({ knex }: { readonly knex: Knex }) => ({
  list: async (owner: string): Promise<readonly BookingDraft[]> => {
    const rows = await knex('booking_drafts')
      .where({ owner })
      .orderByRaw('changed_at desc, key')
      .limit(MAX_BOOKING_DRAFTS)
      .select<Row<BookingDraft>[]>('key', 'kind', 'name', 'changed_at');
    return rows.map(shown<BookingDraft>);
  },

  find: async (owner: string, key: string): Promise<WholeBookingDraft | undefined> => {
    const row = await knex('booking_drafts')
      .where({ owner, key })
      .first<Row<WholeBookingDraft> | undefined>('key', 'kind', 'name', 'content', 'changed_at');
    return row && shown<WholeBookingDraft>(row);
  },

  /** undefined: the person has MAX_BOOKING_DRAFTS others. */
  keep: async (owner: string, { key, kind, name, content }: Omit<WholeBookingDraft, 'changed_at'>): Promise<BookingDraft | undefined> => {
    const { rows } = await knex.raw<{ rows: Row<BookingDraft>[] }>(
      `insert into booking_drafts (owner, key, kind, name, content)
       select :owner, :key, :kind, :name, :content
       where (select count(*) from booking_drafts where owner = :owner and key <> :key) < :max
       on conflict (owner, key) do update set kind = excluded.kind, name = excluded.name, content = excluded.content, changed_at = now()
       returning key, kind, name, changed_at`,
      { owner, key, kind, name, content: JSON.stringify(content), max: MAX_BOOKING_DRAFTS },
    );
    return rows[0] && shown<BookingDraft>(rows[0]);
  },

  remove: async (owner: string, key: string): Promise<boolean> => (await knex('booking_drafts').where({ owner, key }).delete()) > 0,
});
export type BookingDraftStore = ReturnType<typeof createBookingDraftStore>;
