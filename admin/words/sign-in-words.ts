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
