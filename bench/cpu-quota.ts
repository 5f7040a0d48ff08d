import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A share of one core that a process may not exceed, held by the kernel: what a container's CPU limit is. */
export interface CpuQuota {
  take(pid: number): void;
  /** After its processes have ended. */
  remove(): void;
}

/** The period of Kubernetes. */
const PERIOD_US = 100_000;
const ROOT = '/sys/fs/cgroup';

/**
 * Makes a control group with a quota. Source: the kernel's cgroup-v1 (cpu.cfs_quota_us) and cgroup-v2 (cpu.max).
 * @param share of one core, 0.2 for 20 %
 * @returns undefined where this process may not make one
 */
export const createCpuQuota = (name: string, share: number): CpuQuota | undefined => {
  const quota = Math.round(share * PERIOD_US);
  const first = groupFolders().find((folder) => folder !== undefined && mayWrite(folder));
  if (first === undefined) return undefined;
  const group = path.join(first, name);
  try {
    mkdirSync(group, { recursive: true });
    if (existsSync(path.join(group, 'cpu.cfs_quota_us'))) {
      writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(path.join(group, 'cpu.cfs_quota_us'), String(quota));
    } else writeFileSync(path.join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
  } catch {
    // The controller is not ours to use; the measure says that it was left out.
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  return {
    take: (pid) => writeFileSync(path.join(group, 'cgroup.procs'), String(pid)),
    remove: () => rmdirSync(group),
  };
};

/** This process's groups in the control-group hierarchies that have CPU quotas. */
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
