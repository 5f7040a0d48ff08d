import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, which Linux fixes at 100 for everything that it shows in /proc. */
const MICROS_PER_TICK = 10_000;
const PPID = 1;
const UTIME = 11;
const STIME = 12;
const CHILDREN_UTIME = 13;
const CHILDREN_STIME = 14;

/** CPU time that a process has used so far, user and system, all threads, in microseconds; steps of 10 ms. Source: proc(5), /proc/PID/stat. */
export const processCpuMicros = (pid: number): number => sumOf(statOf(pid), [UTIME, STIME]);

/** The same from the text of a /proc/PID/stat that was read elsewhere. */
export const cpuMicrosIn = (text: string): number => sumOf(fieldsOf(text), [UTIME, STIME]);

/** The same of a process and all children that it has and had: of the parent of all processes of Postgres, for example. */
export const familyCpuMicros = (pid: number): number => {
  const children = [...childrenOf(pid).values()];
  return (
    sumOf(statOf(pid), [UTIME, STIME, CHILDREN_UTIME, CHILDREN_STIME]) +
    children.reduce((sum, stat) => sum + sumOf(stat, [UTIME, STIME]), 0)
  );
};

/** The children that a process has now, with what /proc/PID/stat says of each. */
export const childrenOf = (pid: number): ReadonlyMap<number, readonly string[]> => {
  const children = new Map<number, readonly string[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = statOf(Number(name));
      if (Number(stat[PPID]) === pid) children.set(Number(name), stat);
    } catch {
      // It has ended since the folder was read.
    }
  }
  return children;
};

const sumOf = (stat: readonly string[], fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field]), 0) * MICROS_PER_TICK;

const statOf = (pid: number): readonly string[] => fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** The name in parentheses may contain blanks and parentheses. */
const fieldsOf = (stat: string): readonly string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Resident memory in bytes. Source: proc(5), VmRSS. */
export const processRssBytes = (pid: number): number => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
};
