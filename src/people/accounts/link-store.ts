import type { Knex } from 'knex';
import { recordChange } from '../../bookings/audit-trail.ts';
import { LINK_SECRET } from '../../access/secret-kind.ts';
import { createPerson, type Account, type Person, type PersonRefused } from './person-store.ts';
import { revokeSessions } from '../sessions/session-store.ts';

/** What a link is for. `first`: it creates the first administrator, for whom there is no person yet. */
export type LinkPurpose = 'first' | 'invitation' | 'reset';

/** How long a link can be used. */
export const LINK_HOURS = { first: 1, invitation: 7 * 24, reset: 1 } as const satisfies Readonly<Record<LinkPurpose, number>>;

export interface NewLink {
  /** Shown once. */
  readonly secret: string;
  readonly expiresAt: Date;
}

export interface Link {
  readonly purpose: LinkPurpose;
  /** null: of `first`. */
  readonly person: Pick<Person, 'id' | 'email' | 'name'> | null;
}

/** Who the first administrator is; of other links '' and ''. */
export interface LinkAnswer {
  readonly email: string;
  readonly name: string;
}

const IS_USABLE = 'used_at is null and expires_at > now()';
/** The actor of what the service does by itself. */
const SERVICE = 'service';

/** Links that let a person set a password, once. Every method rejects when Postgres is unavailable. */
export const createLinkStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Earlier links of the person end. undefined: there is no such person who may sign in. */
  issue: (purpose: 'invitation' | 'reset', personId: number, actor: string): Promise<NewLink | undefined> =>
    knex.transaction(async (trx) => {
      const enabled = await trx('people').where({ id: personId }).whereNull('disabled_at').forUpdate().pluck<number[]>('id');
      if (enabled.length === 0) return undefined;
      await trx('person_links').where({ person_id: personId }).whereRaw(IS_USABLE).update({ expires_at: trx.fn.now() });
      const link = await insertLink(trx, purpose, personId, actor);
      const after = { purpose, expires_at: link.expiresAt.toISOString() };
      await recordChange(trx, { actor, action: 'create', entity: 'person_link', entityId: personId, before: null, after });
      return link;
    }),

  /** undefined: there is someone already, or another replica has a link that can still be used. */
  issueFirst: (): Promise<NewLink | undefined> =>
    knex.transaction(async (trx) => {
      await trx.raw('lock table person_links in share row exclusive mode');
      const people = await trx('people').limit(1).pluck<number[]>('id');
      const offered = await trx('person_links').where({ purpose: 'first' }).whereRaw(IS_USABLE).pluck<number[]>('id');
      return people.length + offered.length > 0 ? undefined : insertLink(trx, 'first', null, SERVICE);
    }),

  /** undefined: there is no such link, or it has been used or has ended. */
  find: async (secret: string): Promise<Link | undefined> => {
    const digest = LINK_SECRET.digestOf(secret);
    if (!digest) return undefined;
    const link = await knex('person_links').where({ digest }).whereRaw(IS_USABLE).first<LinkRow | undefined>('id', 'purpose', 'person_id');
    if (!link) return undefined;
    if (link.person_id === null) return { purpose: link.purpose, person: null };
    const person = await knex('people').where({ id: link.person_id }).whereNull('disabled_at').first<Link['person']>('id', 'email', 'name');
    return person ? { purpose: link.purpose, person } : undefined;
  },

  /** Of several uses at the same time, one succeeds. The sessions of the person end. undefined: it cannot be used. */
  use: async (secret: string, answer: LinkAnswer, passwordHash: string): Promise<Account | PersonRefused | undefined> => {
    const digest = LINK_SECRET.digestOf(secret);
    if (!digest) return undefined;
    return knex.transaction(async (trx) => {
      const link = await trx('person_links')
        .where({ digest })
        .whereRaw(IS_USABLE)
        .forUpdate()
        .first<LinkRow | undefined>('id', 'purpose', 'person_id');
      if (!link) return undefined;
      const person = link.person_id === null ? await createFirst(trx, answer) : await enabledPerson(trx, link.person_id);
      if (!person || 'refusal' in person) return person;
      const { id, email } = person;
      await trx('people').where({ id }).update({ password: passwordHash });
      await revokeSessions(trx, { personId: id });
      await trx('person_links').where({ id: link.id }).update({ used_at: trx.fn.now() });
      const after = { set_by: link.purpose };
      await recordChange(trx, { actor: email, action: 'update', entity: 'password', entityId: id, before: null, after });
      return { id, email };
    });
  },
});

export type LinkStore = ReturnType<typeof createLinkStore>;

interface LinkRow {
  readonly id: number;
  readonly purpose: LinkPurpose;
  readonly person_id: number | null;
}

const insertLink = async (trx: Knex.Transaction, purpose: LinkPurpose, personId: number | null, actor: string): Promise<NewLink> => {
  const { secret, digest } = LINK_SECRET.make();
  const expires = trx.raw(`now() + interval '${LINK_HOURS[purpose]} hours'`);
  const [row] = await trx('person_links')
    .insert({ digest, purpose, person_id: personId, created_by: actor, expires_at: expires })
    .returning<{ expires_at: Date }[]>('expires_at');
  if (!row) throw new Error('Postgres returned no row for a link that it stored.');
  return { secret, expiresAt: row.expires_at };
};

/** undefined: there is someone already. */
const createFirst = async (trx: Knex.Transaction, { email, name }: LinkAnswer): Promise<Person | PersonRefused | undefined> => {
  if (await trx('people').first('id')) return undefined;
  return createPerson(trx, { email, name, roles: ['administrator'], publishers: null, advertisers: null }, { actor: SERVICE });
};

const enabledPerson = (trx: Knex.Transaction, id: number): Promise<Account | undefined> =>
  trx('people').where({ id }).whereNull('disabled_at').first<Account | undefined>('id', 'email');
