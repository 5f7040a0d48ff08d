import { homedir } from 'node:os';
import path from 'node:path';

/**
 * The default of STATE_DIR: the state folder of the XDG Base Directory Specification, or /var/lib
 * for root, whose home directory other accounts cannot enter (the embedded Postgres runs as one of
 * them).
 */
export function defaultStateDir(env: NodeJS.ProcessEnv, uid: number | undefined = process.getuid?.()): string {
  const { XDG_STATE_HOME: xdg, HOME: home } = env;
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'ad-server');
  if (uid === 0) return '/var/lib/ad-server';
  return path.join(home || homedir(), '.local', 'state', 'ad-server');
}
