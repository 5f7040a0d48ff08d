import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The secret in a file that only its owner can read; the first call creates both. Two concurrent
 * first starts agree on one secret.
 *
 * @param created what a file that is missing gets
 * @throws when the file is empty or cannot be read or written
 */
export const keptSecret = (file: string, created = randomBytes(48).toString('base64url')): string => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  try {
    // 'wx' fails when the file exists.
    writeFileSync(file, created, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new Error(`${file} is empty. Remove it, and the next start creates a new secret.`);
  return secret;
};
