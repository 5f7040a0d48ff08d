import type { Knex } from 'knex';
import type { Rights } from '../../access/caller.ts';
import { recordChange } from '../../bookings/audit-trail.ts';
import { isEmail } from '../../catalog/checks/formats.ts';
import { createPerson, lockPeople, setRights } from '../accounts/person-store.ts';
import { existingRoles } from '../roles/own-permissions.ts';
import type { Identity } from './provider.ts';
import type { SignInProblem } from './sign-in-problem.ts';

/** What the groups of a person give: rights; null: none; undefined: rights are managed in this service. */
export type GivenRights = Rights | null | undefined;

export type FoundPerson =
  | { readonly ok: true; readonly id: number; readonly email: string }
  | {
      readonly ok: false;
      readonly problem: Extract<SignInProblem, 'no_email' | 'email_unverified' | 'email_taken' | 'no_role' | 'disabled'>;
    };

type SignedInIdentity = Pick<Identity, 'issuer' | 'subject' | 'email' | 'emailVerified' | 'name'>;

interface PersonRow {
  readonly id: number;
  readonly email: string;
  readonly roles: readonly string[];
  readonly disabled_at: Date | null;
}

const NO_RIGHTS: Rights = { roles: [], publishers: null, advertisers: null };
const MAX_EMAIL = 254;
const MAX_NAME = 100;

/** Who a person of a provider is here. Every method rejects when Postgres is unavailable. */
export const createIdentityStore = ({ knex }: { readonly knex: Knex }) => ({
  /** The person of a subject; undefined: there is none. */
  find: async (issuer: string, subject: string): Promise<number | undefined> =>
    (await knex('identities').where({ issuer, subject }).first<{ person_id: number } | undefined>())?.person_id,

  /**
   * Finds the person by issuer and subject. At the first sign-in a person with the same, verified, e-mail
   * address is linked, or else the person is created, where the groups give rights. Sets the rights
   * that the groups give, none too.
   */
  personOf: (identity: SignedInIdentity, given: GivenRights, actor: string) =>
    knex.transaction(async (trx): Promise<FoundPerson> => {
      await lockPeople(trx);
      const rights = given && (await ofExistingRoles(trx, given));
      const { issuer, subject } = identity;
      const known = await trx('identities')
        .join('people', 'people.id', 'identities.person_id')
        .where({ issuer, subject })
        .first<PersonRow | undefined>('people.id', 'people.email', 'people.roles', 'people.disabled_at');
      const person = known ?? (await firstSeen(trx, identity, rights, actor));
      if (typeof person === 'string') return { ok: false, problem: person };
      if (person.disabled_at !== null) return { ok: false, problem: 'disabled' };
      if (rights !== undefined) await setRights(trx, person.id, rights ?? NO_RIGHTS, actor);
      if ((rights === undefined ? person.roles : (rights?.roles ?? [])).length === 0) return { ok: false, problem: 'no_role' };
      return { ok: true, id: person.id, email: person.email };
    }),
});

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** The settings may name a role that was never made, or is deleted. */
const ofExistingRoles = async (trx: Knex, rights: Rights): Promise<Rights | null> => {
  const roles = await existingRoles(trx, rights.roles);
  return roles.length === 0 ? null : { ...rights, roles };
};

type NotFound = Extract<FoundPerson, { readonly ok: false }>['problem'];

const firstSeen = async (
  trx: Knex.Transaction,
  identity: SignedInIdentity,
  rights: GivenRights,
  actor: string,
): Promise<PersonRow | NotFound> => {
  const { issuer, subject, email, emailVerified, name } = identity;
  if (email === undefined || email.length > MAX_EMAIL || !isEmail(email)) return 'no_email';
  const invited = await trx('people')
    .whereRaw('lower(email) = lower(?)', [email])
    .first<PersonRow | undefined>('id', 'email', 'roles', 'disabled_at');
  if (invited) {
    // Anyone can enter the address of another one at many providers, until they verify it.
    if (!emailVerified) return 'email_unverified';
    // The address was given to someone else at the provider.
    if (await trx('identities').where({ issuer, person_id: invited.id }).first('person_id')) return 'email_taken';
    if (invited.disabled_at !== null) return 'disabled';
  } else if (!rights) return 'no_role';
  const person = invited ?? (await created(trx, { email, name: nameOf(name, email), ...(rights ?? NO_RIGHTS) }, actor));
  if (typeof person === 'string') return person;
  await trx('identities').insert({ issuer, subject, person_id: person.id });
  await recordChange(trx, { actor, action: 'create', entity: 'identity', entityId: person.id, before: null, after: { issuer, email } });
  return person;
};

const created = async (trx: Knex.Transaction, wanted: Parameters<typeof createPerson>[1], actor: string): Promise<PersonRow | NotFound> => {
  const person = await createPerson(trx, wanted, { actor });
  // Its groups name publishers that do not exist, or there are too many people.
  if ('refusal' in person) return 'no_role';
  return { id: person.id, email: person.email, roles: person.roles, disabled_at: null };
};

const nameOf = (name: string | undefined, email: string): string => name?.trim().slice(0, MAX_NAME).trim() || email;
