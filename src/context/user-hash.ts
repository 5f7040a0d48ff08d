import { createHmac, createSecretKey } from 'node:crypto';

/**
 * A pseudonym of a publisher's user: HMAC-SHA256 under the instance's own key, cut to 128 bits. The same user has another pseudonym at
 * another publisher, and without the key nobody gets from one to the other.
 */
export const createUserHash = (key: Uint8Array): ((publisherId: number, userId: string) => string) => {
  const secret = createSecretKey(key);
  return (publisherId, userId) => createHmac('sha256', secret).update(`${publisherId}:${userId}`).digest('base64url').slice(0, 22);
};
