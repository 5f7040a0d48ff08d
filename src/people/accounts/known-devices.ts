import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenSecret } from '../../config/settings.ts';

const NONCE_BYTES = 16;
const FORM = /^([\w-]{22})\.([\w-]{43})$/;

/**
 * Browsers in which a person has signed in before. Guesses from elsewhere use up the attempts of an
 * account, and the person still gets in from such a browser. Source: OWASP, "Slow Down Online Guessing
 * Attacks with Device Cookies". Cookies end when their key leaves TOKEN_SECRETS.
 */
export const createKnownDevices = (secrets: readonly TokenSecret[]) => {
  const keys = secrets.map(({ secret }) => createHmac('sha256', secret).update('known device').digest());
  const [signing] = keys;
  if (!signing) throw new Error('at least one token secret is needed');
  const sign = (key: Buffer, nonce: string, email: string): Buffer =>
    createHmac('sha256', key).update(`${nonce} ${email.toLowerCase()}`).digest();

  return {
    /** The value of a cookie, for the account with this address. */
    issue: (email: string): string => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      return `${nonce}.${sign(signing, nonce, email).toString('base64url')}`;
    },
    /** What attempts of the device are counted under; undefined: the account has not signed in with it. */
    nameOf: (cookie: string | undefined, email: string): string | undefined => {
      const [, nonce, given] = FORM.exec(cookie ?? '') ?? [];
      if (nonce === undefined || given === undefined) return undefined;
      const signature = Buffer.from(given, 'base64url');
      return keys.some((key) => timingSafeEqual(signature, sign(key, nonce, email))) ? nonce : undefined;
    },
  };
};

export type KnownDevices = ReturnType<typeof createKnownDevices>;
