import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { untilTrue } from '../testkit/until.ts';

/** Processes, and the children that they will have, with a limit of their own on the CPU. */
export interface CpuGroup {
  take(pid: number): void;
  /** Resolves when its processes have ended and it is gone. Rejects when they do not end. */
  remove(): Promise<void>;
}

/** `quota`: a share of one core that may not be exceeded, 0.2 for 20 %: a container's CPU limit. `lowest`: what others leave over. */
export type CpuLimit = { readonly quota: number } | 'lowest';

/** The period of Kubernetes. */
const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';
const MAX_ENDING_MS = 30_000;

/**
 * Makes a control group. Source: the kernel's cgroup-v1 (cpu.cfs_quota_us, cpu.shares) and cgroup-v2 (cpu.max, cpu.weight).
 * @returns undefined where this process may not make one
 */
export const createCpuGroup = (name: string, limit: CpuLimit): CpuGroup | undefined => {
  const first = groupFolders().find((folder) => folder !== undefined && mayWrite(folder));
  if (first === undefined) return undefined;
  const group = path.join(first, name);
  const set = (file: string, value: string): void => writeFileSync(path.join(group, file), value);
  try {
    mkdirSync(group, { recursive: true });
    const isFirstVersion = existsSync(path.join(group, 'cpu.cfs_quota_us'));
    if (limit === 'lowest') {
      if (isFirstVersion) set('cpu.shares', '10');
      else set('cpu.weight', '1');
    } else if (isFirstVersion) {
      set('cpu.cfs_period_us', String(PERIOD_US));
      set('cpu.cfs_quota_us', String(Math.round(limit.quota * PERIOD_US)));
    } else set('cpu.max', `${Math.round(limit.quota * PERIOD_US)} ${PERIOD_US}`);
  } catch {
    // The controller is not ours to use.
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  return {
    take: (pid) => {
      try {
        set('cgroup.procs', String(pid));
      } catch (fault) {
        // A process that has ended needs no limit.
        if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
      }
    },
    remove: async () => {
      // A parent's end does not wait for that of its children, such as those of Postgres.
      const isEmpty = (): boolean => readFileSync(path.join(group, 'cgroup.procs'), 'utf8') === '';
      await untilTrue(isEmpty, MAX_ENDING_MS, 10);
      rmdirSync(group);
    },
  };
};

/** This process's groups in the control-group hierarchies that limit the CPU. */
const groupFolders = (): readonly (string | undefined)[] =>
  readFileSync('/proc/self/cgroup', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [, controllers = '', own = '/'] = line.split(':');
      if (controllers === '') return path.join(ROOT, own);
      return controllers.split(',').includes('cpu')
        ? path.join(ROOT, existsSync(path.join(ROOT, controllers)) ? controllers : 'cpu', own)
        : undefined;
    });

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(path.join(folder, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
