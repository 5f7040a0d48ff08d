import type { Knex } from 'knex';
import { callerWith, type Caller, type Rights } from '../../access/caller.ts';
import type { Permission } from '../../access/permissions.ts';
import { show, type Columns, type Shown } from '../../api/columns.ts';
import * as s from '../../base/schema.ts';
import { COMMENTED, type Commented } from '../../bookings/comment-store.ts';
import { isVisible, scopeBinding } from '../../bookings/record-scope.ts';
import { ownPermissions } from '../roles/own-permissions.ts';

/** Someone who can be mentioned. */
export interface Mentionable {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}

interface MentionRow {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly text: string;
  readonly entity: 'campaign' | 'line_item';
  readonly entity_id: number;
  readonly name: string;
}

export const MENTION_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  at: { schema: s.moment, of: ({ at }) => at.toISOString() },
  by: { schema: s.described(s.text, 'Who wrote the comment'), of: ({ actor }) => actor },
  text: { schema: s.described(s.text, 'Of the comment'), of: ({ text }) => text },
  entity: { schema: s.oneOf(['campaign', 'line_item']), of: ({ entity }) => entity },
  entity_id: { schema: s.integer, of: (row) => row.entity_id },
  name: { schema: s.described(s.text, 'Of the record'), of: ({ name }) => name },
} satisfies Columns<MentionRow>;
export type Mention = Shown<typeof MENTION_COLUMNS>;

const MAX_LISTED = 100;
/** Of one comment: more is a mistake, or abuse. */
const MAX_MENTIONED = 20;

/** People who are named in comments. Every method rejects when Postgres is unavailable. */
export const createMentionStore = ({ knex }: { readonly knex: Knex }) => {
  const readersOf = async (of: Commented, id: number): Promise<readonly Mentionable[]> => {
    const campaign = of === 'campaigns' ? 'campaigns.id = :id' : 'campaigns.id = (select campaign_id from line_items where id = :id)';
    const { rows } = await knex.raw<{ rows: (Mentionable & Rights & { readonly own: readonly Permission[] })[] }>(
      `select people.id, people.email, people.name, people.roles, people.publishers, people.advertisers, ${ownPermissions('people')} as own
       from people join campaigns on ${campaign}
       where people.disabled_at is null and (people.publishers is null or campaigns.publisher_id = any(people.publishers))
         and (people.advertisers is null or campaigns.advertiser_id = any(people.advertisers))
       order by lower(people.name), people.id`,
      { id },
    );
    return rows
      .filter((row) => callerWith(row, { kind: 'person', name: row.email, id: row.id }).permissions.has('records.read'))
      .map(({ id: personId, email, name }) => ({ id: personId, email, name }));
  };

  return {
    /** Who reads a record, and so can be mentioned in its comments, by name. */
    readersOf,

    /** Resolves to who is mentioned in a comment, but for its author. */
    add: async (
      of: Commented,
      id: number,
      { id: commentId, text, actor }: { readonly id: number; readonly text: string; readonly actor: string },
    ): Promise<readonly Mentionable[]> => {
      if (!text.includes('@')) return [];
      const named = (await readersOf(of, id)).filter((one) => one.email !== actor && isNamedIn(text, one)).slice(0, MAX_MENTIONED);
      if (named.length > 0)
        await knex('mentions')
          .insert(named.map(({ id: personId }) => ({ comment_id: commentId, person_id: personId })))
          .onConflict(['comment_id', 'person_id'])
          .ignore();
      return named;
    },

    /** Those of a person, in records that the person may read now, newest first. */
    list: async (personId: number, caller: Caller): Promise<readonly Mention[]> => {
      const parts = (Object.keys(COMMENTED) as Commented[]).map(
        (table) => `select m.id, c.at, c.actor, c.text, '${table.slice(0, -1)}' as entity, ${table}.id as entity_id, ${table}.name
          from mentions m join comments c on c.id = m.comment_id join ${table} on ${table}.id = c.${COMMENTED[table]}
          where m.person_id = :personId and ${table}.id in (select id from ${table} where ${isVisible(table, caller)})`,
      );
      const sql = `${parts.join(' union all ')} order by id desc limit ${MAX_LISTED}`;
      const { rows } = await knex.raw<{ rows: MentionRow[] }>(sql, { personId, ...scopeBinding(caller) });
      return rows.map((row) => show(MENTION_COLUMNS, row));
    },

    /** False: there is none of the person with this id. */
    remove: async (personId: number, id: number): Promise<boolean> =>
      (await knex('mentions').where({ id, person_id: personId }).delete()) > 0,
  };
};

export type MentionStore = ReturnType<typeof createMentionStore>;

/** Whether a text has `@` and the name of a person, or the first part or the whole of their e-mail address. */
export const isNamedIn = (text: string, { name, email }: Pick<Mentionable, 'name' | 'email'>): boolean =>
  [name, email, email.replace(/@.*$/, '')].some((word) =>
    new RegExp(`(?<![\\p{L}\\p{N}])@${escaped(word)}(?![\\p{L}\\p{N}])`, 'iu').test(text),
  );

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
