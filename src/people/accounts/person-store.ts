import type { Knex } from 'knex';
import type { Caller, Rights } from '../../access/caller.ts';
import { momentOf, show, type Columns, type Shown } from '../../api/columns.ts';
import { holdLock } from '../../base/advisory-locks.ts';
import type { Fault } from '../../base/fault.ts';
import * as s from '../../base/schema.ts';
import { changedBy, recordChange, type ChangedBy } from '../../bookings/audit-trail.ts';
import { roleFaults } from '../roles/own-permissions.ts';
import { invitedFaults, onlyManaged } from './managed-people.ts';
import { advertiserFaults, isSame, missingIds, RIGHTS_COLUMNS } from '../rights.ts';
import { revokeSessions } from '../sessions/session-store.ts';

/** As it is stored, without what only signing in reads. */
interface PersonRow extends Rights {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly passkeys: number;
  readonly last_seen_at: Date | null;
}

export const PERSON_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  email: { schema: s.text, of: ({ email }) => email },
  name: { schema: s.text, of: ({ name }) => name },
  ...RIGHTS_COLUMNS,
  has_password: { schema: s.boolean, of: (row) => row.has_password },
  has_totp: { schema: s.described(s.boolean, 'Whether signing in by password needs a one-time code'), of: (row) => row.has_totp },
  passkeys: { schema: s.count, of: ({ passkeys }) => passkeys },
  created_by: { schema: s.text, of: (row) => row.created_by },
  created_at: { schema: s.moment, of: (row) => row.created_at.toISOString() },
  last_seen_at: { schema: s.orNull(s.moment, { description: 'To the minute' }), of: (row) => momentOf(row.last_seen_at) },
  disabled_at: {
    schema: s.orNull(s.moment, { description: 'Since when the person may not sign in; null: may' }),
    of: (row) => momentOf(row.disabled_at),
  },
} satisfies Columns<PersonRow>;

export type Person = Shown<typeof PERSON_COLUMNS>;
export type Account = Pick<Person, 'id' | 'email'>;

export interface PersonWanted extends Rights {
  readonly email: string;
  readonly name: string;
}

export type PersonChange = Partial<Rights & { readonly name: string; readonly disabled: boolean }>;

/** Why a person was not created or changed. */
export interface PersonRefused {
  readonly refusal: 'email_taken' | 'too_many' | 'invalid' | 'last_administrator' | 'missing';
  readonly faults: readonly Fault[];
}

/** People who are not disabled. */
export const MAX_PEOPLE = 5_000;

const LISTED = `
  id, email, name, roles, publishers, advertisers, created_by, created_at, disabled_at,
  password is not null as has_password, totp_secret is not null as has_totp,
  (select count(*)::int from passkeys where person_id = people.id) as passkeys,
  (select max(last_used_at) from sessions where person_id = people.id) as last_seen_at`;
const IS_ADMINISTRATOR = `disabled_at is null and 'administrator' = any(roles) and publishers is null and advertisers is null`;
const isAdministrator = ({ roles, publishers, advertisers, disabled_at: disabledAt }: Rights & Pick<Person, 'disabled_at'>): boolean =>
  disabledAt === null && roles.includes('administrator') && publishers === null && advertisers === null;

/** Those who may sign in. Every method rejects when Postgres is unavailable. */
export const createPersonStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Whom a caller manages, by name, disabled ones last. */
  list: async ({ limit, offset }: { readonly limit: number; readonly offset: number }, caller: Caller): Promise<readonly Person[]> => {
    const rows = await onlyManaged(knex('people'), caller)
      .orderByRaw('disabled_at is not null, lower(name), id')
      .limit(limit)
      .offset(offset)
      .select<PersonRow[]>(knex.raw(LISTED));
    return rows.map((row) => show(PERSON_COLUMNS, row));
  },

  /** undefined: there is none, or not of those whom the caller manages. */
  find: async (id: number, caller: Caller): Promise<Person | undefined> => {
    const known = await onlyManaged(knex('people').where({ id }), caller).first<{ id: number } | undefined>('id');
    return known && readPerson(knex, id);
  },

  create: (wanted: PersonWanted, caller: Caller): Promise<Person | PersonRefused> =>
    knex.transaction(async (trx) => {
      const faults = [...(await invitedFaults(trx, caller, wanted)), ...(await roleFaults(trx, caller, wanted))];
      return faults.length > 0 ? refused('invalid', faults) : createPerson(trx, wanted, changedBy(caller));
    }),

  /** Disabling ends the sessions of the person with the same commit. */
  change: (id: number, { disabled, ...fields }: PersonChange, caller: Caller): Promise<Person | PersonRefused> =>
    knex.transaction(async (trx) => {
      await lockPeople(trx);
      const before = await readPerson(trx, id);
      if (!before) return refused('missing');
      const isOfRights = fields.roles !== undefined || fields.advertisers !== undefined;
      const faults = [
        ...(isOfRights ? advertiserFaults({ ...before, ...fields }) : []),
        ...(await missingIds(trx, fields)),
        ...(await roleFaults(trx, caller, fields)),
      ];
      if (faults.length > 0) return refused('invalid', faults);
      const isLast = isAdministrator(before) && !(await trx('people').whereRaw(IS_ADMINISTRATOR).whereNot({ id }).first('id'));
      const stays = isAdministrator({ ...before, ...fields, disabled_at: (disabled ?? before.disabled_at !== null) ? 'now' : null });
      if (isLast && !stays) return refused('last_administrator');
      const disabledAt = disabled ? trx.raw('coalesce(disabled_at, now())') : null;
      await trx('people')
        .where({ id })
        .update({ ...fields, ...(disabled === undefined ? { name: fields.name ?? before.name } : { disabled_at: disabledAt }) });
      if (disabled) await revokeSessions(trx, { personId: id });
      const after = await readPerson(trx, id);
      if (!after) throw new Error('Postgres has lost a person within a transaction.');
      await recordChange(trx, { ...changedBy(caller), action: 'update', entity: 'person', entityId: id, before, after });
      return after;
    }),

  /** Whether there is anyone, disabled or not. */
  isEmpty: async (): Promise<boolean> => (await knex('people').first('id')) === undefined,
});

export type PersonStore = ReturnType<typeof createPersonStore>;

export const refused = (refusal: PersonRefused['refusal'], faults: readonly Fault[] = []): PersonRefused => ({ refusal, faults });

const readPerson = async (knex: Knex, id: number): Promise<Person | undefined> => {
  const row = await knex('people').where({ id }).first<PersonRow | undefined>(knex.raw(LISTED));
  return row && show(PERSON_COLUMNS, row);
};

/** Until the end of the transaction. */
export const lockPeople = (trx: Knex.Transaction): Promise<void> => holdLock(trx, 'people');

/** Sets the rights that a provider gives. It may take those of the last administrator: who that is, is decided there. */
export const setRights = async (trx: Knex.Transaction, id: number, rights: Rights, actor: string): Promise<void> => {
  const before = await readPerson(trx, id);
  if (before === undefined) return;
  const { roles, publishers, advertisers } = rights;
  if (isSame(before.roles, roles) && isSame(before.publishers, publishers) && isSame(before.advertisers, advertisers)) return;
  await trx('people').where({ id }).update({ roles, publishers, advertisers });
  await recordChange(trx, { actor, action: 'update', entity: 'person', entityId: id, before, after: { ...before, ...rights } });
};

/** Creates a person in a transaction, which has no other lock of this store. */
export const createPerson = async (trx: Knex.Transaction, wanted: PersonWanted, by: ChangedBy): Promise<Person | PersonRefused> => {
  await lockPeople(trx);
  if (await trx('people').whereRaw('lower(email) = lower(?)', [wanted.email]).first('id')) return refused('email_taken');
  const [usable] = await trx('people').whereNull('disabled_at').count<{ count: string }[]>('* as count');
  if (Number(usable?.count) >= MAX_PEOPLE) return refused('too_many');
  const faults = [...advertiserFaults(wanted), ...(await missingIds(trx, wanted))];
  if (faults.length > 0) return refused('invalid', faults);
  const [stored] = await trx('people')
    .insert({ ...wanted, created_by: by.actor })
    .returning<{ id: number }[]>('id');
  const after = stored && (await readPerson(trx, stored.id));
  if (!after) throw new Error('Postgres returned no row for a person that it stored.');
  await recordChange(trx, { ...by, action: 'create', entity: 'person', entityId: after.id, before: null, after });
  return after;
};
