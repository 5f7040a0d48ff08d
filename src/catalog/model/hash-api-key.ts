import { createHash } from 'node:crypto';

/**
 * The stored form of an API key: lower-case hex SHA-256. Keys are random, so a slow hash would
 * protect nothing.
 */
export const hashApiKey = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');
