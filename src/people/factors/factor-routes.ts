import type { Knex } from 'knex';
import { answer, done, noSuch, refuse, type Handlers, type Refused, type Reply } from '../../api/route.ts';
import { forPerson } from '../accounts/account-routes.ts';
import type { CheckOwner } from '../accounts/check-owner.ts';
import type { Person } from '../accounts/person-store.ts';
import { noAccounts, sessionCookies, type SigningIn } from '../accounts/sign-in-routes.ts';
import type { IsBeyond } from '../roles/is-beyond.ts';
import { ATTEMPTS } from '../attempts.ts';
import { cookieOf } from '../sessions/session-cookie.ts';
import { removeCodes, type CodeStore } from './code-store.ts';
import type { FACTOR_API, PASSKEY_API } from './factor-api.ts';
import { removePasskeys, type PasskeyStore } from './passkey-store.ts';
import { qrCodeOf } from './qr-code.ts';
import { noPasskeyCookie, type Passkeys } from './passkeys.ts';

export interface FactorRoutesOptions {
  readonly knex: Knex;
  readonly codes: CodeStore;
  readonly passkeys: Passkeys;
  readonly passkeyStore: PasskeyStore;
  readonly checkOwner: CheckOwner;
  readonly isBeyond: IsBeyond;
  /** Whether there are accounts of this service. */
  readonly hasAccounts: boolean;
}

const notHere = (): Refused =>
  refuse('conflict', 'There are no accounts of this service (ACCOUNTS): your provider asks for second factors.');
const cannotSeal = (): Refused => refuse('conflict', 'SEAL_KEYS is not set: the secret of the app could not be stored safely.');
const noApp = (): Refused => refuse('conflict', 'There is no authenticator app.');

/** How people prove who they are beside the password. */
export const factorRoutes = ({
  knex,
  codes,
  passkeys,
  passkeyStore,
  checkOwner,
  isBeyond,
  hasAccounts,
}: FactorRoutesOptions): Handlers<typeof FACTOR_API> => {
  /** A handler for the person who calls, once they have proved that they own the account. */
  const forOwner = <T>(handle: (owner: Pick<Person, 'id' | 'email' | 'name'>, actor: string) => Promise<Reply<T>>) =>
    forPerson(async (id, { body: { password } }: { readonly body: { readonly password: string } }, { caller, actor }) => {
      if (!hasAccounts) return notHere();
      const refused = await checkOwner(caller, password, '/password');
      return refused ?? handle({ id, email: caller.name, name: caller.fullName ?? caller.name }, actor);
    });

  return {
    getMyFactors: forPerson(async (id) => {
      const left = await codes.left(id);
      return answer({ totp: left !== undefined, recovery_codes: left ?? 0, passkeys: await passkeyStore.list(id) });
    }),

    beginTotp: forOwner(async (owner) => {
      if (!codes.canSeal) return cannotSeal();
      const begun = codes.begin(owner);
      return answer({ ...begun, qr: await qrCodeOf(begun.uri) });
    }),

    confirmTotp: forPerson(async (id, { body: { setup, code } }, { caller }) => {
      const recoveryCodes = await codes.confirm({ id, email: caller.name }, setup, code);
      if (recoveryCodes) return answer({ recovery_codes: recoveryCodes });
      return refuse('invalid_request', 'The set-up has faults.', [{ pointer: '/code', detail: 'is not the code of this app now' }]);
    }),

    removeTotp: forOwner(async ({ id }, actor) => ((await codes.remove(id, actor)) ? done() : noApp())),

    renewRecoveryCodes: forOwner(async ({ id }, actor) => {
      const recoveryCodes = await codes.renew(id, actor);
      return recoveryCodes ? answer({ recovery_codes: recoveryCodes }) : noApp();
    }),

    beginPasskey: forOwner(async (owner) => {
      const { options, cookie } = await passkeys.askToMake(owner);
      return answer(options, { 'Set-Cookie': cookie });
    }),

    addPasskey: forPerson(async (id, { body }, { caller, request }) => {
      const made = await passkeys.make({ id, email: caller.name }, { ...body, cookie: cookieOf(request.get('cookie'), 'passkey') });
      if (!('refused' in made)) return answer(made, { 'Set-Cookie': noPasskeyCookie });
      return refuse('invalid_request', 'The passkey has faults.', [
        { pointer: '/credential', detail: `is refused: ${made.refused.message}` },
      ]);
    }),

    renamePasskey: forPerson(async (personId, { id, body: { name } }, { actor }) => {
      const renamed = await passkeyStore.rename(personId, id, name, actor);
      return renamed ? answer(renamed) : noSuch('passkey of yours');
    }),

    removePasskey: forPerson(async (personId, { id }, { actor }) =>
      (await passkeyStore.remove(personId, id, actor)) ? done() : noSuch('passkey of yours'),
    ),

    removeFactorsOfPerson: ({ id }, { actor, caller }) =>
      knex.transaction(async (trx) => {
        const person = await trx('people').where({ id }).forUpdate().first<{ roles: readonly string[] } | undefined>('roles');
        if (!person) return noSuch('person');
        const beyond = await isBeyond(person, caller);
        if (beyond) return beyond;
        await removeCodes(trx, id, actor);
        await removePasskeys(trx, id, actor);
        return done();
      }),
  };
};

export interface PasskeyRoutesOptions extends SigningIn {
  readonly passkeys: Passkeys;
}

/** Signing in by a passkey. */
export const passkeyRoutes = (options: PasskeyRoutesOptions): Handlers<typeof PASSKEY_API> => {
  const { passkeys, signIn, attempts, hasAccounts, sessionLifetimeMs, originOf, onSignIn } = options;
  return {
    beginPasskeySignIn: async () => {
      if (!hasAccounts) return noAccounts();
      const asked = await passkeys.askToSignIn();
      return answer(asked.options, { 'Set-Cookie': asked.cookie });
    },

    signInByPasskey: async ({ body: { credential } }, { request }) => {
      if (!hasAccounts) return noAccounts();
      const origin = originOf(request);
      if ((await attempts.count('passkey', origin.network)) > ATTEMPTS.passkey.max) {
        onSignIn('passkey', 'too_many', origin.network);
        return refuse('too_many_requests', 'Too many attempts have failed.', [], { 'Retry-After': String(ATTEMPTS.passkey.windowS) });
      }
      const person = await passkeys.signIn(credential, cookieOf(request.get('cookie'), 'passkey'));
      if ('refused' in person) {
        onSignIn('passkey', 'failed', origin.network);
        return refuse('sign_in_failed', 'The passkey is not known here, has been removed, or its answer is not valid. Try again.');
      }
      await attempts.takeBack('passkey', origin.network);
      const signedIn = await signIn.asPerson(person, 'passkey', origin);
      onSignIn('passkey', 'signed_in', origin.network);
      const { 'Set-Cookie': cookies } = sessionCookies(signedIn, sessionLifetimeMs);
      return answer({ signed_in: true }, { 'Set-Cookie': [...cookies, noPasskeyCookie] });
    },
  };
};
