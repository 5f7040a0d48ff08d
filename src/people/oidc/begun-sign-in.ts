import { createSealedUntil, type SealedUntil } from '../../base/sealed-until.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { MS_PER_MINUTE } from '../../base/utc-day.ts';

/** What a browser keeps, sealed, while its person is at a provider. */
export interface BegunSignIn {
  readonly provider: string;
  /** Comes back with the answer, so that only the browser that began the sign-in ends it. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** Of PKCE (RFC 7636): who intercepts the code cannot use it. */
  readonly verifier: string;
  /** Where on the page to go on: '' or from # on. */
  readonly to: string;
}

export const SIGN_IN_TIME_MS = 10 * MS_PER_MINUTE;

/** Where a browser keeps it. */
export const createBegunSignIns = (box: SecretBox, now: () => number): SealedUntil<BegunSignIn> =>
  createSealedUntil({ box, now, purpose: 'sign-in at a provider', lifetimeMs: SIGN_IN_TIME_MS });

const MAX_TO = 1_000;

/** A place of the trafficking page: what follows #. Anything else is '', so that no link leads elsewhere. */
export const placeOnPage = (to: string | undefined): string =>
  to !== undefined && to.length <= MAX_TO && /^#\/[\x21-\x7e]*$/.test(to) ? to : '';
