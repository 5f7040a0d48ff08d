import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defaultStateDir } from './default-state-dir.ts';

/**
 * Outside production, creates a missing token secret once and keeps it in the state folder, so that
 * tokens stay valid across restarts.
 *
 * @returns the given environment, with TOKEN_SECRET added when it was missing
 */
export function keepTokenSecret(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = (env['TOKEN_SECRET'] || env['TOKEN_SECRETS'] || '').trim();
  if (given !== '' || env['NODE_ENV']?.toLowerCase() === 'production') return env;
  const stateDir = path.resolve(env['STATE_DIR']?.trim() || defaultStateDir(env));
  return { ...env, TOKEN_SECRET: keptSecret(path.join(stateDir, 'token-secret')) };
}

function keptSecret(file: string): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  try {
    // 'wx' fails when the file exists, so two concurrent first starts agree on one secret.
    writeFileSync(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret === '') throw new Error(`${file} is empty. Remove it, and the next start creates a new secret.`);
  return secret;
}
