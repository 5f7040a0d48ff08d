import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { ATTEMPTS, type AttemptKind, type Attempts } from '../attempts.ts';
import type { NewSession, Origin, SessionStore, SignInMethod } from '../sessions/session-store.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Passwords } from './password.ts';
import type { Account } from './person-store.ts';
import type { SignInBody } from './sign-in-api.ts';

/**
 * How an attempt to sign in ended. The labels of its metric. `refused`: a provider knows the person, and they may not
 * do anything here; `unavailable`: the provider or the database did not answer.
 */
export const SIGN_IN_OUTCOMES = ['signed_in', 'failed', 'code_required', 'too_many', 'busy', 'refused', 'unavailable'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** The ways to sign in, as metrics and logs name them. */
export const SIGN_IN_METHODS = ['password', 'passkey', 'link', 'provider'] as const;
export type SignInWay = (typeof SIGN_IN_METHODS)[number];

export interface SignedIn {
  readonly outcome: 'signed_in';
  readonly session: string;
  /** The value of the device's cookie. */
  readonly device: string;
}

export interface NotSignedIn {
  readonly outcome: Extract<SignInOutcome, 'failed' | 'code_required' | 'too_many' | 'busy'>;
  /** Of `too_many`. */
  readonly waitS: number;
}

/** With the device's cookie. */
export type PasswordAttempt = SignInBody & { readonly device: string | undefined };

/** Whether a code is one of a person's; undefined: the person needs none. It is accepted once. */
export type UseCode = (personId: number, code: string) => Promise<boolean | undefined>;

export interface SignInOptions {
  readonly knex: Knex;
  readonly sessions: Pick<SessionStore, 'begin'>;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly devices: KnownDevices;
  readonly useCode: UseCode;
}

/** Signing in to accounts of this service. Every method rejects when Postgres is unavailable. */
export interface SignIn {
  /** An unknown address, a wrong password and a disabled account end alike, after the same time. */
  byPassword(attempt: PasswordAttempt, origin: Origin): Promise<SignedIn | NotSignedIn>;
  /** Of a person who has proved in another way who they are. */
  asPerson(person: Account, method: SignInMethod, origin: Origin, provider?: NewSession['provider']): Promise<SignedIn>;
  /** Seconds to wait; undefined: the attempt may be made. Of other ways to sign in, by network alone. */
  tooMany(origin: Origin): Promise<number | undefined>;
}

type Counted = readonly [kind: AttemptKind, who: string];

/** What the attempts of an account are counted under, whether it exists or not: Redis gets no address. */
export const nameOfAccount = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('base64url');

export const createSignIn = ({ knex, sessions, passwords, attempts, devices, useCode }: SignInOptions): SignIn => {
  const asPerson: SignIn['asPerson'] = async ({ id, email }, method, origin, provider) => {
    const session = await sessions.begin({ personId: id, method, ...origin, ...(provider && { provider }) });
    return { outcome: 'signed_in', session, device: devices.issue(email) };
  };

  /** Counts an attempt, and returns the first count that is too high. */
  const countAll = async (counted: readonly Counted[]): Promise<AttemptKind | undefined> => {
    for (const [kind, who] of counted) if ((await attempts.count(kind, who)) > ATTEMPTS[kind].max) return kind;
    return undefined;
  };

  return {
    asPerson,
    tooMany: async ({ network }) => {
      const over = await countAll([['network', network]]);
      return over && ATTEMPTS[over].windowS;
    },
    byPassword: async ({ email, password, code, device }, origin) => {
      const known = devices.nameOf(device, email);
      // A browser that the account knows is not stopped by what others of its network do.
      const counted: readonly Counted[] =
        known === undefined
          ? [
              ['network', origin.network],
              ['account', nameOfAccount(email)],
            ]
          : [['device', known]];
      const over = await countAll(counted);
      if (over) return { outcome: 'too_many', waitS: ATTEMPTS[over].windowS };
      const row = await knex('people')
        .whereRaw('lower(email) = lower(?)', [email])
        .whereNull('disabled_at')
        .first<(Account & { readonly password: string | null }) | undefined>('id', 'email', 'password');
      const matches = await passwords.matches(password, row?.password ?? null);
      const isRight = row !== undefined && matches === true;
      const isSecond = isRight ? ((await useCode(row.id, code)) ?? true) : false;
      const takeBack = async (): Promise<void> => {
        for (const [kind, who] of counted) await attempts.takeBack(kind, who);
      };
      if (matches === undefined) {
        await takeBack();
        return { outcome: 'busy', waitS: 0 };
      }
      if (isRight && !isSecond && code === '') {
        await takeBack();
        return { outcome: 'code_required', waitS: 0 };
      }
      if (!isRight || !isSecond) return { outcome: 'failed', waitS: 0 };
      await takeBack();
      return asPerson(row, 'password', origin);
    },
  };
};
