import { homedir } from 'node:os';
import path from 'node:path';

/**
 * The default of STATE_DIR: the state folder of the XDG Base Directory Specification, or /var/lib
 * for root, whose home directory other accounts cannot enter (the embedded Postgres runs as one of
 * them). The large demonstration has its own, because it needs an empty database.
 */
export function defaultStateDir(env: NodeJS.ProcessEnv, uid: number | undefined = process.getuid?.()): string {
  const { XDG_STATE_HOME: xdg, HOME: home, DEMO_DATA: demo } = env;
  const folder = demo?.trim().toLowerCase() === 'large' ? 'ad-server-large-demo' : 'ad-server';
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, folder);
  if (uid === 0) return path.join('/var/lib', folder);
  return path.join(home || homedir(), '.local', 'state', folder);
}
