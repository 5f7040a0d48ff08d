import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { createSealedUntil } from '../../base/sealed-until.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { asError } from '../../base/narrow.ts';
import { MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { Account, Person } from '../accounts/person-store.ts';
import { clearCookie, setCookie } from '../sessions/session-cookie.ts';
import type { SpentStore } from '../spent-store.ts';
import type { MadeCredential, Passkey, SignedCredential } from './factor-api.ts';
import type { PasskeyStore } from './passkey-store.ts';

export interface Asked<T> {
  readonly options: T;
  /** The challenge, sealed: the browser that asked has to answer. */
  readonly cookie: string;
}

/** Why a passkey was not accepted, for the log. */
export interface PasskeyRefused {
  readonly refused: Error;
}

/** Passkeys (WebAuthn): discoverable, with user verification, so that one is both factors. Rejects when Postgres is unavailable. */
export interface Passkeys {
  askToMake(person: Pick<Person, 'id' | 'email' | 'name'>): Promise<Asked<PublicKeyCredentialCreationOptionsJSON>>;
  make(
    person: Account,
    answer: { readonly name: string; readonly credential: MadeCredential; readonly cookie: string | undefined },
  ): Promise<Passkey | PasskeyRefused>;
  askToSignIn(): Promise<Asked<PublicKeyCredentialRequestOptionsJSON>>;
  signIn(credential: SignedCredential, cookie: string | undefined): Promise<Account | PasskeyRefused>;
}

export interface PasskeysOptions {
  readonly store: PasskeyStore;
  readonly spent: SpentStore;
  readonly secretBox: SecretBox;
  /** Passkeys belong to its host name, and answers must come from its origin. */
  readonly toolUrl: string;
  readonly now: () => number;
}

const TIME_MS = 10 * MS_PER_MINUTE;
const NAME = 'Ad server';
export const noPasskeyCookie = clearCookie('passkey');

interface Challenge {
  /** Whose passkey is made; null: of a sign-in. */
  readonly personId: number | null;
  readonly challenge: string;
}

/** The package is loaded with the first passkey. */
const load = () => import('@simplewebauthn/server');

export const createPasskeys = ({ store, spent, secretBox, toolUrl, now }: PasskeysOptions): Passkeys => {
  const { hostname: rpID, origin } = new URL(toolUrl);
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true };
  const challenges = createSealedUntil<Challenge>({ box: secretBox, now, purpose: 'challenge of a passkey', lifetimeMs: TIME_MS });
  const sealed = (challenge: string, personId: number | null): string =>
    setCookie('passkey', challenges.seal({ personId, challenge }), TIME_MS);

  /** The challenge that an answer must have, once; undefined: there is none. */
  const spend = async (cookie: string | undefined, personId: number | null): Promise<string | undefined> => {
    const asked = challenges.open(cookie);
    if (asked?.personId !== personId) return undefined;
    return (await spent.spend(`passkey ${asked.challenge}`, new Date(asked.endsAt))) ? asked.challenge : undefined;
  };

  return {
    askToMake: async ({ id, email, name }) => {
      const { generateRegistrationOptions } = await load();
      const options = await generateRegistrationOptions({
        ...{ rpName: NAME, rpID, userID: new TextEncoder().encode(String(id)), userName: email, userDisplayName: name },
        excludeCredentials: (await store.credentialsOf(id)).map((one) => ({ ...one })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options, cookie: sealed(options.challenge, id) };
    },

    make: async ({ id, email }, { name, credential, cookie }) => {
      const challenge = await spend(cookie, id);
      if (challenge === undefined) return refused('it took longer than ten minutes, or was begun in another browser');
      const { verifyRegistrationResponse } = await load();
      const { response, ...rest } = credential;
      const verified = await verifyRegistrationResponse({
        response: { ...rest, response: { ...response, transports: [...response.transports] }, clientExtensionResults: {} },
        ...{ expectedChallenge: challenge, ...expected },
      }).catch(refusedBy);
      if ('refused' in verified) return verified;
      if (!verified.verified) return refused('its signature is wrong');
      return (
        (await store.add(id, name, verified.registrationInfo.credential, email)) ?? refused('it is stored already, or there are too many')
      );
    },

    askToSignIn: async () => {
      const { generateAuthenticationOptions } = await load();
      const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
      return { options, cookie: sealed(options.challenge, null) };
    },

    signIn: async (credential, cookie) => {
      const challenge = await spend(cookie, null);
      if (challenge === undefined) return refused('it took longer than ten minutes, or was begun in another browser');
      const known = await store.find(credential.id);
      if (!known) return refused('it is not known');
      const { verifyAuthenticationResponse } = await load();
      const verified = await verifyAuthenticationResponse({
        ...{
          response: { ...credential, clientExtensionResults: {} },
          expectedChallenge: challenge,
          credential: known.credential,
          ...expected,
        },
      }).catch(refusedBy);
      if ('refused' in verified) return verified;
      if (!verified.verified) return refused('its signature is wrong');
      const counter = { from: known.credential.counter, to: verified.authenticationInfo.newCounter };
      return (await store.used(known.id, counter)) ? known.person : refused('its counter has moved on');
    },
  };
};

const refused = (words: string): PasskeyRefused => ({ refused: new Error(words) });
/** The package throws for every answer that is not as the standard says. */
const refusedBy = (thrown: unknown): PasskeyRefused => ({ refused: asError(thrown) });
