import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * Programs that the service and its tests need, with their Debian packages. An entry is present
 * when one of `programs` is on the PATH or one of `files` is readable.
 */
export const DEBIAN_PACKAGES = {
  redis: {
    name: 'a Redis server',
    programs: ['redis-server', 'redis-check-rdb'],
    debianPackage: 'redis-tools',
    otherwise: 'or set REDIS_URL',
  },
  chromium: { name: 'Chromium', programs: ['chromium-headless-shell'], debianPackage: 'chromium-headless-shell' },
  wrk: { name: 'wrk (a load generator)', programs: ['wrk'], debianPackage: 'wrk' },
  fonts: { name: 'a font', files: ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'], debianPackage: 'fonts-dejavu-core' },
};

/**
 * Installs missing programs with apt-get when run as root.
 * @param {readonly (keyof typeof DEBIAN_PACKAGES)[]} wanted
 * @param {(line: string) => void} say
 * @throws {Error} with what to install, for other users
 */
export function installPrograms(wanted, say) {
  const missing = wanted.map((key) => DEBIAN_PACKAGES[key]).filter((entry) => !isPresent(entry));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const advice = [`apt-get install ${packages.join(' ')}`, ...missing.flatMap(({ otherwise }) => otherwise ?? [])].join(', ');
  if (process.getuid?.() !== 0 || !onPath('apt-get')) throw new Error(`Missing: ${names}. To install: ${advice}`);
  say(`Installing ${names} (apt-get install ${packages.join(' ')}) …`);
  apt(['update', '-qq'], advice);
  apt(['install', '-y', '-qq', '--no-install-recommends', ...packages], advice);
}

function apt(args, advice) {
  const { status, stdout, stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`apt-get ${args[0]} failed. To install by hand: ${advice}\n${(stderr || stdout).trim()}`);
}

function isPresent({ programs = [], files = [] }) {
  return programs.some(onPath) || files.some((file) => may(file, constants.R_OK));
}

function onPath(program) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => path.isAbsolute(folder) && may(path.join(folder, program), constants.X_OK));
}

function may(file, mode) {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
