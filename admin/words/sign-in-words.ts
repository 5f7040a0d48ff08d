import type { Fault } from '../../src/base/fault.ts';
import type { SignInProblem } from '../../src/people/oidc/sign-in-problem.ts';
import type { Problem } from '../api/wire.ts';
import { say, t } from './texts.ts';

/** In the words of the person at the form. */
const CODE_WORDS: Readonly<Record<string, string>> = {
  sign_in_failed: t`The e-mail address or the password is not right, or the account is disabled. Check both, or set a new password.`,
  invalid_link: t`It has been used, has ended, or was not copied whole. Ask whoever sent it for a new one.`,
  unavailable: t`Signing in is not possible at the moment. Your password may be right: try again in a minute.`,
};

/** Why a provider did not let someone in, and what to do. */
const PROVIDER_WORDS: Readonly<Record<SignInProblem, string>> = {
  provider_unavailable: t`The sign-in provider does not answer. Try again in a minute. Who is signed in stays signed in.`,
  unavailable: t`Signing in is not possible at the moment. Try again in a minute.`,
  too_many: t`There were too many attempts from your network. Wait 15 minutes, then try again.`,
  unknown_provider: t`There is no such sign-in provider any more. Choose one below.`,
  denied: t`The sign-in was cancelled, or the provider does not let you use this service. Try again, or ask whoever manages it.`,
  expired: t`The sign-in took longer than ten minutes, or was begun in another window. Begin again here.`,
  failed: t`The answer of the provider could not be verified. Try again. If it happens again, tell an administrator.`,
  no_email: t`The provider does not say your e-mail address. Ask whoever manages it to pass it on.`,
  email_unverified: t`The provider does not say that your e-mail address is verified. Verify it there, then try again.`,
  email_taken: t`Your e-mail address belongs to another person here. Ask an administrator.`,
  no_role: t`You have no role here yet. Ask an administrator to give you one, then sign in again.`,
  disabled: t`Your access was ended. Ask an administrator if you need it.`,
};

/** @param problem as the address names it; undefined: it names none that there is */
export const providerWords = (problem: string): string | undefined =>
  Object.entries(PROVIDER_WORDS).find(([name]) => name === problem)?.[1];

const MINUTE_S = 60;

/** `Wait 15 minutes, then try again.` */
const waitWords = (seconds: number): string => {
  const minutes = Math.ceil(seconds / MINUTE_S);
  return t`Wait ${minutes === 1 ? t`a minute` : t`${minutes} minutes`}, then try again.`;
};

/** What went wrong, and what to do. */
export const problemWords = ({ code, detail, status, waitS }: Problem): string => {
  // A short wait is a busy service, which its own words say.
  if (status === 429 && waitS >= MINUTE_S) return t`There were too many attempts. ${waitWords(waitS)}`;
  return CODE_WORDS[code] ?? detail;
};

/** A fault of a field as a sentence. @param label of the field */
export const faultWords = ({ detail }: Fault, label: string): string => {
  const [, least] = /^must have at least (\d+) characters/.exec(detail) ?? [];
  if (least !== undefined) return t`Use at least ${least} characters.`;
  if (detail.startsWith('must be an e-mail address')) return t`Write${detail.slice(t`must be`.length)}.`;
  return `${label} ${say(detail)}.`;
};
