import type { AdSDK, Command } from './contract.ts';
import { warnOnce } from './warn-once.ts';

/** What a page may have set before a script of the SDK runs. */
export interface Stub {
  version?: string;
  /** Set by the loader: the full script is on its way. */
  loading?: boolean;
  cmd?: { push(...commands: Command[]): unknown };
}

export const stubOf = (page: { AdSDK?: Stub }): Stub => (page.AdSDK ??= {});

/** The commands that wait in a queue, whatever a page has put there. */
export const waitingIn = (queue: unknown): readonly Command[] => (Array.isArray(queue) ? (queue as readonly Command[]) : []);

/**
 * A queue that runs what is pushed. A command that throws is reported and stops neither the
 * others nor the page's script.
 */
export const runningQueue = (sdk: AdSDK): { push(...commands: Command[]): number } => ({
  push: (...commands) => {
    for (const command of commands) {
      try {
        command(sdk);
      } catch (error) {
        warnOnce(`a command failed: ${String(error)}`);
      }
    }
    return commands.length;
  },
});
