import path from 'node:path';
import { defaultStateDir } from './default-state-dir.ts';
import { keptSecret } from './kept-secret.ts';

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
