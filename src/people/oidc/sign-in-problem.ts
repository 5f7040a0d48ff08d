import type { ProblemCode } from '../../http/problems/problem.ts';

/**
 * Why a sign-in at a provider ended without a session. The sign-in page gets the name as `problem` in
 * its query, and has the words for people; programs get the problem.
 */
export const SIGN_IN_PROBLEMS = {
  provider_unavailable: {
    code: 'unavailable',
    detail: 'The sign-in provider does not answer. Try again in a minute: signed-in people stay.',
  },
  unavailable: { code: 'unavailable', detail: 'The service cannot reach its database. Try again in a minute.' },
  too_many: { code: 'too_many_requests', detail: 'Too many sign-ins have failed in this network. Try again in 15 minutes.' },
  unknown_provider: { code: 'sign_in_failed', detail: 'There is no such sign-in provider.' },
  denied: { code: 'sign_in_failed', detail: 'The sign-in was cancelled, or the provider does not allow it.' },
  expired: {
    code: 'sign_in_failed',
    detail: 'The sign-in took longer than ten minutes, was used before, or was begun in another browser.',
  },
  failed: { code: 'sign_in_failed', detail: 'What the provider answered could not be verified.' },
  no_email: { code: 'sign_in_failed', detail: 'The provider tells no e-mail address of this person.' },
  email_unverified: { code: 'sign_in_failed', detail: 'The provider does not say that the e-mail address of this person is verified.' },
  email_taken: { code: 'sign_in_failed', detail: 'The e-mail address belongs to another person of the same provider here.' },
  no_role: { code: 'sign_in_failed', detail: 'This person has no role here. An administrator can give one.' },
  disabled: { code: 'sign_in_failed', detail: 'This person is disabled here. An administrator can change that.' },
} as const satisfies Readonly<Record<string, { readonly code: ProblemCode; readonly detail: string }>>;

export type SignInProblem = keyof typeof SIGN_IN_PROBLEMS;
