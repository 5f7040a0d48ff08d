import type { Request } from 'express';
import { answer, refuse, type Handlers, type Refused } from '../../api/route.ts';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { ATTEMPTS, type Attempts } from '../attempts.ts';
import { clearCookie, cookieOf, setCookie } from '../sessions/session-cookie.ts';
import type { Origin, SessionStore } from '../sessions/session-store.ts';
import { tooBusy } from './check-owner.ts';
import type { LinkMails } from './link-mails.ts';
import type { LinkStore } from './link-store.ts';
import { passwordFaults, type Passwords } from './password.ts';
import type { SIGN_IN_API } from './sign-in-api.ts';
import { nameOfAccount, type NotSignedIn, type SignedIn, type SignIn, type SignInOutcome, type SignInWay } from './sign-in.ts';

/** What all ways to sign in need. */
export interface SigningIn {
  /** Whether there are accounts of this service. */
  readonly hasAccounts: boolean;
  readonly signIn: SignIn;
  readonly attempts: Attempts;
  readonly sessionLifetimeMs: number;
  readonly originOf: (req: Request) => Origin;
  readonly onSignIn: (method: SignInWay, outcome: SignInOutcome, network: string) => void;
}

export interface SignInRoutesOptions extends SigningIn {
  readonly sessions: SessionStore;
  readonly passwords: Passwords;
  readonly links: LinkStore;
  /** undefined: SMTP_URL is not set. */
  readonly mails: LinkMails | undefined;
  readonly isRequired: () => Promise<boolean>;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Whether signing in by password needs a code as well. */
  readonly needsCode: (personId: number) => Promise<boolean>;
  /** Where the browser ends the session of a provider; null: it need not, or cannot. */
  readonly endAtProvider: (sessionId: number) => Promise<string | null>;
  readonly onMailFailed: (fault: Error) => void;
}

/** A browser keeps a cookie for 400 days at most (RFC 6265bis, 5.5). */
const DEVICE_LIFETIME_MS = 400 * MS_PER_DAY;

/** The cookies of a person who has signed in. */
export const sessionCookies = ({ session, device }: SignedIn, lifetimeMs: number) => ({
  'Set-Cookie': [setCookie('session', session, lifetimeMs), setCookie('device', device, DEVICE_LIFETIME_MS)],
});

/** Why nobody was signed in, without a hint whether the account exists. */
export const refuseSignIn = ({ outcome, waitS }: NotSignedIn): Refused => {
  switch (outcome) {
    case 'failed':
      return refuse('sign_in_failed', 'The e-mail address or the password is not right, or the account is disabled.');
    case 'code_required':
      return refuse('code_required', 'Enter the code of your authenticator app, or a recovery code.');
    case 'too_many':
      return refuse('too_many_requests', 'Too many attempts to sign in have failed. Wait, or sign in with a passkey.', [], waiting(waitS));
    case 'busy':
      return tooBusy();
  }
};

const signedOut = { 'Set-Cookie': clearCookie('session') };
const waiting = (seconds: number) => ({ 'Retry-After': String(seconds) });
export const noAccounts = (): Refused => refuse('forbidden', 'There are no accounts of this service (ACCOUNTS). Sign in at your provider.');
const badLink = (): Refused => refuse('invalid_link', 'The link has been used, has ended, or is not complete. Ask for a new one.');

/** Signing in and out. */
export const signInRoutes = (options: SignInRoutesOptions): Handlers<typeof SIGN_IN_API> => {
  const { signIn, sessions, passwords, links, attempts, mails, isRequired, hasAccounts, providers, needsCode } = options;
  const { endAtProvider, originOf, sessionLifetimeMs, onSignIn, onMailFailed } = options;

  return {
    getSignInMethods: async () =>
      answer({ required: await isRequired(), accounts: hasAccounts, mail: mails !== undefined, providers: [...providers] }),

    signIn: async ({ body }, { request }) => {
      if (!hasAccounts) return noAccounts();
      const origin = originOf(request);
      const ended = await signIn.byPassword({ ...body, device: cookieOf(request.get('cookie'), 'device') }, origin);
      onSignIn('password', ended.outcome, origin.network);
      return ended.outcome === 'signed_in' ? answer({ signed_in: true }, sessionCookies(ended, sessionLifetimeMs)) : refuseSignIn(ended);
    },

    readLink: async ({ body: { secret } }) => {
      const link = await links.find(secret);
      return link ? answer({ purpose: link.purpose, email: link.person?.email ?? null, name: link.person?.name ?? null }) : badLink();
    },

    useLink: async ({ body: { secret, password, email = '', name = '' } }, { request }) => {
      if (!hasAccounts) return noAccounts();
      const link = await links.find(secret);
      if (!link) return badLink();
      const address = link.person?.email ?? email;
      const missing = link.person ? [] : [...required('email', email), ...required('name', name)];
      const faults = [...missing, ...passwordFaults(password, address)];
      if (faults.length > 0) return refuse('invalid_request', 'The answer to the link has faults.', faults);
      const hash = await passwords.hash(password);
      if (hash === undefined) return tooBusy();
      const used = await links.use(secret, { email, name }, hash);
      if (!used) return badLink();
      if ('refusal' in used) return refuse('conflict', 'There is a person with this e-mail address already.', used.faults);
      if (await needsCode(used.id)) return answer({ signed_in: false });
      const origin = originOf(request);
      const signedIn = await signIn.asPerson(used, 'link', origin);
      onSignIn('link', 'signed_in', origin.network);
      return answer({ signed_in: true }, sessionCookies(signedIn, sessionLifetimeMs));
    },

    resetPassword: async ({ body: { email } }, { request }) => {
      if (!hasAccounts) return noAccounts();
      const waitS = await signIn.tooMany(originOf(request));
      if (waitS !== undefined) return refuseSignIn({ outcome: 'too_many', waitS });
      // Not waited for, and not refused when there were too many: both would tell whether there is an account.
      if (mails && (await attempts.count('reset', nameOfAccount(email))) <= ATTEMPTS.reset.max) void mails.reset(email).catch(onMailFailed);
      return answer({ mail: mails !== undefined });
    },

    signOut: async (_asked, { request }) => {
      const secret = cookieOf(request.get('cookie'), 'session');
      const caller = secret === undefined ? null : await sessions.use(secret);
      if (caller?.id == null || caller.sessionId === null) return answer({ continue_at: null }, signedOut);
      const continueAt = await endAtProvider(caller.sessionId);
      await sessions.revoke({ personId: caller.id, id: caller.sessionId });
      return answer({ continue_at: continueAt }, signedOut);
    },
  };
};

const required = (field: string, value: string) => (value === '' ? [{ pointer: `/${field}`, detail: 'is required' }] : []);
