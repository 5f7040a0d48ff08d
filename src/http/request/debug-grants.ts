import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { MS_PER_HOUR } from '../../base/utc-day.ts';
import type { TokenSecret } from '../../config/settings.ts';

/**
 * Permission to see the figures of one publisher's traces, which production withholds from clients
 * that know no more than the key of a page.
 */
export interface DebugGrants {
  issue(publisherId: number): { readonly token: string; readonly expiresAtMs: number };
  /** Whether the token was issued for this publisher and has not ended. */
  covers(token: string, publisherId: number): boolean;
}

const LIFE_MS = MS_PER_HOUR;
const AUDIENCE = 'debug';
/** Longer than any grant; longer ones are rejected unread. */
const MAX_TOKEN_LENGTH = 512;

/**
 * Grants are JWTs (HS256) that nothing stores: they end after an hour, or when their key leaves
 * TOKEN_SECRETS. Their keys are derived from the token secrets, so that a grant is never a valid
 * tracking token, nor the reverse.
 *
 * @param now epoch milliseconds
 */
export const createDebugGrants = (secrets: readonly TokenSecret[], now: () => number = Date.now): DebugGrants => {
  const keys = new Map<string, KeyObject>(
    secrets.map(({ kid, secret }) => [kid, createSecretKey(createHmac('sha256', secret).update('debug grant').digest())]),
  );
  const [signing] = keys;
  if (!signing) throw new Error('at least one token secret is needed');
  const [keyid, signingKey] = signing;

  return {
    issue: (publisherId) => {
      const expiresAtMs = now() + LIFE_MS;
      const claims = { p: publisherId, aud: AUDIENCE, exp: Math.floor(expiresAtMs / 1000) };
      return { token: jwt.sign(claims, signingKey, { algorithm: 'HS256', keyid, noTimestamp: true }), expiresAtMs };
    },
    covers: (token, publisherId) => {
      if (token.length > MAX_TOKEN_LENGTH) return false;
      try {
        const key = keys.get(jwt.decode(token, { complete: true })?.header.kid ?? '');
        if (!key) return false;
        const clockTimestamp = Math.floor(now() / 1000);
        const claims = jwt.verify(token, key, { algorithms: ['HS256'], audience: AUDIENCE, clockTimestamp });
        return typeof claims === 'object' && typeof claims.exp === 'number' && claims['p'] === publisherId;
      } catch {
        // jsonwebtoken rejected the token.
        return false;
      }
    },
  };
};
