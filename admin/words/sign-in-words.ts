import type { Fault } from '../../src/base/fault.ts';
import type { SignInProblem } from '../../src/people/oidc/sign-in-problem.ts';
import type { Problem } from '../api/wire.ts';

/** In the words of the person at the form. */
const CODE_WORDS: Readonly<Record<string, string>> = {
  sign_in_failed: 'The e-mail address or the password is not right, or the account is disabled. Check both, or set a new password.',
  invalid_link: 'It has been used, has ended, or was not copied whole. Ask whoever sent it for a new one.',
  unavailable: 'Signing in is not possible at the moment. Your password may be right: try again in a minute.',
};

const MINUTE_S = 60;

/** `Wait 15 minutes, then try again.` */
const waitWords = (seconds: number): string => {
  const minutes = Math.ceil(seconds / MINUTE_S);
  return `Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`;
};

/** What went wrong, and what to do. */
export const problemWords = ({ code, detail, status, waitS }: Problem): string => {
  // A short wait is a busy service, which its own words say.
  if (status === 429 && waitS >= MINUTE_S) return `There were too many attempts. ${waitWords(waitS)}`;
  return CODE_WORDS[code] ?? detail;
};

/** A fault of a field as a sentence. @param label of the field */
export const faultWords = ({ detail }: Fault, label: string): string => {
  const [, least] = /^must have at least (\d+) characters/.exec(detail) ?? [];
  if (least !== undefined) return `Use at least ${least} characters.`;
  if (detail.startsWith('must be an e-mail address')) return `Write${detail.slice('must be'.length)}.`;
  return `${label} ${detail}.`;
};

/** Why a provider has sent someone back without a session, and what to do. */
const PROVIDER_WORDS: Readonly<Record<SignInProblem, string>> = {
  provider_unavailable:
    'The sign-in provider does not answer at the moment. Try again in a minute. Whoever is signed in already can go on.',
  unavailable: 'Signing in is not possible at the moment. Try again in a minute.',
  too_many: 'There were too many attempts from your network. Wait 15 minutes, then try again.',
  unknown_provider: 'This way to sign in is not offered any more. Choose one of these.',
  denied: 'You have cancelled, or the provider does not let you in. Try again, or ask an administrator.',
  expired: 'That took longer than ten minutes, was used already, or was begun in another browser. Sign in again.',
  failed: 'What the provider answered could not be verified. Try again; if it fails again, tell an administrator.',
  no_email: 'The provider does not tell your e-mail address. Ask an administrator to allow it there.',
  email_unverified: 'Your e-mail address is not verified at the provider. Verify it there, then sign in again.',
  email_taken: 'Your e-mail address belongs to another account of the provider here. Ask an administrator.',
  no_role: 'You have signed in, but you have no role here. Ask an administrator to invite you, or to give your group a role.',
  disabled: 'Your account is disabled. Ask an administrator.',
};

/** @param problem of the page's address; undefined where there is none, or an unknown one */
export const providerWords = (problem: string | null): string | undefined =>
  problem !== null && Object.hasOwn(PROVIDER_WORDS, problem) ? PROVIDER_WORDS[problem as SignInProblem] : undefined;
