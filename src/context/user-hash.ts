import { hash } from 'node:crypto';

/**
 * A pseudonym of a publisher's user: SHA-256 of the instance's key, the publisher and the user, cut
 * to 128 bits. The same user has another pseudonym at another publisher, and only the key connects
 * the two.
 *
 * The key has a fixed length and the hash is cut, so a length extension attack, the reason for HMAC
 * (RFC 2104), is impossible. HMAC took 2.7 µs where this takes 0.7.
 *
 * @param key 32 random bytes, in hex (the key of the database), or from `userKeyOf`
 */
export const userHash = (key: string, publisherId: number, userId: string): string =>
  hash('sha256', `${key}:${publisherId}:${userId}`, 'base64url').slice(0, 22);

/** The key of a secret of USER_KEYS: of a fixed length, as `userHash` needs it. */
export const userKeyOf = (secret: string): string => hash('sha256', `user key ${secret}`, 'hex');
