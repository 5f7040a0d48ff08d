import { readFileSync } from 'node:fs';

/** USER_HZ, which Linux fixes at 100 for everything that it shows in /proc. */
const MICROS_PER_TICK = 10_000;
const UTIME = 11;
const STIME = 12;

/** CPU time that a process has used so far, user and system, all threads, in microseconds; steps of 10 ms. Source: proc(5), /proc/PID/stat. */
export const processCpuMicros = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME]) + Number(fields[STIME])) * MICROS_PER_TICK;
};

/** Resident memory in bytes. Source: proc(5), VmRSS. */
export const processRssBytes = (pid: number): number => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
};
