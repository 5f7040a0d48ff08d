import { asError } from '../../base/narrow.ts';
import type { SignInProblem } from './sign-in-problem.ts';

/** What a failed call of a provider means for the person who signs in, and words for the log: no token, code or address. */
export interface ProviderFault {
  readonly problem: Extract<SignInProblem, 'provider_unavailable' | 'denied' | 'expired' | 'failed'>;
  readonly reason: Error;
}

/** The codes of openid-client and jose for time-outs, and for keys that could not be read. */
const AWAY_CODES: readonly unknown[] = ['OAUTH_TIMEOUT', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'];
const AWAY_NAMES: readonly unknown[] = ['TimeoutError', 'AbortError'];
/** Errors that a provider answers (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const AWAY_ERRORS: readonly unknown[] = ['server_error', 'temporarily_unavailable'];
const OF_ANSWER: Readonly<Record<string, ProviderFault['problem']>> = {
  ...{ access_denied: 'denied', consent_required: 'denied', interaction_required: 'denied', login_required: 'denied' },
  // The code was used, or has expired (RFC 6749, 5.2).
  invalid_grant: 'expired',
};

interface Detailed {
  readonly code?: unknown;
  readonly name?: unknown;
  /** What the provider has answered. */
  readonly error?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
}

export const faultOf = (thrown: unknown): ProviderFault => {
  const chain = causesOf(thrown);
  const answered = chain.find(({ error }) => typeof error === 'string')?.error;
  const problem = chain.some(isAway) ? 'provider_unavailable' : (OF_ANSWER[String(answered)] ?? 'failed');
  const codes = [...chain.map(({ code }) => code), answered].filter((code) => typeof code === 'string');
  return { problem, reason: new Error(`${asError(thrown).message} (${[...new Set(codes)].join(', ')})`) };
};

const isAway = ({ code, name, error, status, cause }: Detailed): boolean =>
  AWAY_CODES.includes(code) ||
  AWAY_NAMES.includes(name) ||
  AWAY_ERRORS.includes(error) ||
  (typeof status === 'number' && status >= 500) ||
  // Node's fetch, when there is no connection.
  (name === 'TypeError' && typeof (cause as Detailed | undefined)?.code === 'string');

const causesOf = (thrown: unknown): readonly Detailed[] => {
  const causes: Detailed[] = [];
  for (let one = thrown; typeof one === 'object' && one !== null && causes.length < 10; one = (one as Detailed).cause) causes.push(one);
  return causes;
};
