import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';

/**
 * Gives all threads of this process but the main one a lower priority, on Linux, where threads have one: V8 compiles on
 * four of them and libuv hashes passwords on others, and on a core that is full each takes as much as the thread that
 * answers requests. Threads that are started later keep theirs.
 *
 * Only for a process with --single-threaded-gc: without it the main thread waits for what they collect.
 */
export const lowerHelperThreads = async (): Promise<void> => {
  if (process.platform !== 'linux') return;
  // libuv starts its threads with the first work that it has for them.
  await stat('/proc/self');
  for (const thread of readdirSync('/proc/self/task').map(Number)) {
    if (thread === process.pid) continue;
    try {
      os.setPriority(thread, os.constants.priority.PRIORITY_BELOW_NORMAL);
    } catch (fault) {
      // It has ended since, or this system has no priorities of threads: answers are as good, and later at worst.
      process.emitWarning(`A helper thread keeps its priority: ${(fault as Error).message}`);
    }
  }
};
