import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Says who goes first where processes share a core: -20 first, 19 last (nice values). Children inherit it. Raising a priority takes root; where it is
 * not allowed, or not Linux, the process stays one among equals.
 */
export const weighProcess = (pid: number, nice: number): void => {
  try {
    setPriority(pid, nice);
  } catch {
    // Said above: one among equals.
    return;
  }
  weighSession(pid, nice);
};

/** The same of the session of a process against others and the threads of the kernel: Linux weighs sessions before processes. */
export const weighSession = (pid: number, nice: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // As above.
  }
};
