import type { Knex } from 'knex';
import type { Caller } from '../../access/caller.ts';
import { answer, done, noSuch, refuse, type Call, type Handlers, type Reply } from '../../api/route.ts';
import { recordChange } from '../../bookings/audit-trail.ts';
import { revokeSessions, type SessionStore } from '../sessions/session-store.ts';
import type { ACCOUNT_API } from './account-api.ts';
import { tooBusy, type CheckOwner } from './check-owner.ts';
import { passwordFaults, type Passwords } from './password.ts';
import type { PersonStore } from './person-store.ts';
import type { Preferences } from '../preferences/preferences.ts';
import { preferencesOf } from './preferences-schema.ts';

export interface AccountRoutesOptions {
  readonly knex: Knex;
  readonly people: PersonStore;
  readonly sessions: SessionStore;
  readonly passwords: Passwords;
  readonly checkOwner: CheckOwner;
  /** Whether agents of buyers may buy. */
  readonly sellsToAgents: boolean;
}

const shown = (
  { kind, id, name, fullName, sessionId, roles, permissions, publishers, advertisers }: Caller,
  preferences: Preferences | null,
  sellsToAgents: boolean,
) => ({
  ...{ kind, id, name: fullName ?? name, email: kind === 'person' ? name : null },
  ...{ roles, permissions: [...permissions], publishers, advertisers, session_id: sessionId, preferences },
  sells_to_agents: sellsToAgents,
});

/** The id of a person who calls; undefined: it is none. */
export const personIdOf = ({ kind, id }: Caller): number | undefined => (kind === 'person' && id !== null ? id : undefined);

/** A handler for the person who calls. */
export const forPerson =
  <A, T>(handle: (id: number, asked: A, call: Call) => Promise<Reply<T>>) =>
  async (asked: A, call: Call): Promise<Reply<T>> => {
    const id = personIdOf(call.caller);
    return id === undefined ? refuse('conflict', 'Tokens have no account: sign in as a person.') : handle(id, asked, call);
  };

/** What people see and change of themselves. */
export const accountRoutes = (options: AccountRoutesOptions): Handlers<typeof ACCOUNT_API> => {
  const { knex, people, sessions, passwords, checkOwner, sellsToAgents } = options;
  const readPreferences = async (caller: Caller): Promise<Preferences | null> => {
    const id = personIdOf(caller);
    if (id === undefined) return null;
    const row = await knex('people').where({ id }).first<{ preferences: Partial<Preferences> } | undefined>('preferences');
    return preferencesOf(row?.preferences ?? {});
  };
  return {
    getMe: async (_asked, { caller }) => answer(shown(caller, await readPreferences(caller), sellsToAgents)),

    changeMe: forPerson(async (id, { body }, { caller }) => {
      const person = await people.change(id, body, caller);
      if ('refusal' in person) return noSuch('person');
      return answer(shown({ ...caller, fullName: person.name }, await readPreferences(caller), sellsToAgents));
    }),

    changeMyPreferences: forPerson(async (id, { body }) => {
      await knex('people')
        .where({ id })
        .update({ preferences: JSON.stringify(body) });
      return answer(preferencesOf(body));
    }),

    changeMyPassword: forPerson(async (id, { body: { current, password } }, { caller, actor }) => {
      const refused = await checkOwner(caller, current, '/current');
      if (refused) return refused;
      const faults = passwordFaults(password, caller.name);
      if (faults.length > 0) return refuse('invalid_request', 'The change has faults.', faults);
      const hash = await passwords.hash(password);
      if (hash === undefined) return tooBusy();
      await knex.transaction(async (trx) => {
        await trx('people').where({ id }).update({ password: hash });
        await revokeSessions(trx, { personId: id, except: caller.sessionId });
        await recordChange(trx, { actor, action: 'update', entity: 'password', entityId: id, before: null, after: { set_by: 'person' } });
      });
      return done();
    }),

    listMySessions: forPerson(async (id) => answer(await sessions.list(id))),

    endMySession: forPerson(async (personId, { id }) =>
      (await sessions.revoke({ personId, id })) > 0 ? done() : noSuch('session of yours that has not ended'),
    ),

    endMyOtherSessions: forPerson(async (personId, _asked, { caller }) => {
      await sessions.revoke({ personId, except: caller.sessionId });
      return done();
    }),
  };
};
