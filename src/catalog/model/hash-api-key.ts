import { createHash, randomBytes } from 'node:crypto';

/**
 * The stored form of an API key: lower-case hex SHA-256. Keys are random, so a slow hash would
 * protect nothing.
 */
export const hashApiKey = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

/** A key of 24 random bytes, whose prefix scanners for leaked secrets recognize, and the columns that are stored of it. */
export const newApiKey = (): { readonly key: string; readonly columns: object } => {
  const key = `pk_${randomBytes(24).toString('base64url')}`;
  return { key, columns: { api_key_hash: hashApiKey(key), api_key_hint: key.slice(-4) } };
};
