import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const secrets = new WeakMap<Uint8Array, KeyObject>();

/**
 * A pseudonym of a publisher's user: HMAC-SHA256 under the instance's own key, cut to 128 bits. The same user has another pseudonym at
 * another publisher, and without the key nobody gets from one to the other.
 */
export const userHash = (key: Uint8Array, publisherId: number, userId: string): string => {
  let secret = secrets.get(key);
  if (!secret) secrets.set(key, (secret = createSecretKey(key)));
  return createHmac('sha256', secret).update(`${publisherId}:${userId}`).digest('base64url').slice(0, 22);
};
