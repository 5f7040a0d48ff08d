import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * Programs that the service and its tests need, with the package of each package manager that has
 * one. An entry is present when one of `programs` is on the PATH or one of `files` is readable.
 */
export const PROGRAMS = {
  redis: {
    name: 'a Redis server',
    programs: ['redis-server', 'redis-check-rdb'],
    // Debian's redis-tools contains the server, and starts none.
    packages: { 'apt-get': 'redis-tools', dnf: 'redis', apk: 'redis', pacman: 'redis', zypper: 'redis', brew: 'redis' },
    otherwise: 'or set REDIS_URL',
  },
  chromium: {
    name: 'Chromium',
    programs: ['chromium-headless-shell'],
    packages: { 'apt-get': 'chromium-headless-shell', dnf: 'chromium-headless' },
    otherwise: 'or run the tests in a Debian container',
  },
  curl: {
    name: 'curl (for the commands of the documents)',
    programs: ['curl'],
    packages: { 'apt-get': 'curl', dnf: 'curl', apk: 'curl', pacman: 'curl', zypper: 'curl', brew: 'curl' },
  },
  postgres: {
    name: 'Postgres with its tools (for the restore drill of the documents)',
    // Debian's server is not on the PATH.
    programs: ['pg_createcluster', 'initdb'],
    packages: {
      'apt-get': 'postgresql',
      dnf: 'postgresql-server',
      apk: 'postgresql',
      pacman: 'postgresql',
      zypper: 'postgresql-server',
      brew: 'postgresql',
    },
  },
  python: {
    name: 'Python 3 (for the Python client)',
    programs: ['python3'],
    packages: { 'apt-get': 'python3', dnf: 'python3', apk: 'python3', pacman: 'python', zypper: 'python3', brew: 'python' },
  },
  fonts: {
    name: 'a font',
    files: ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', '/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf'],
    packages: { 'apt-get': 'fonts-dejavu-core', dnf: 'dejavu-sans-fonts' },
  },
};

/** The command of each package manager; the first that is on the PATH is used. */
const MANAGERS = {
  'apt-get': 'sudo apt-get install',
  dnf: 'sudo dnf install',
  apk: 'sudo apk add',
  pacman: 'sudo pacman -S',
  zypper: 'sudo zypper install',
  brew: 'brew install',
};

/**
 * Makes sure that programs are there. On Debian, as root, it says what it installs and why, and
 * installs it when the answer is yes, or without a question (--yes, CI, no terminal).
 * @param {readonly (keyof typeof PROGRAMS)[]} wanted
 * @param {{ say(line: string): void, ask: ((question: string) => Promise<boolean>) | undefined, isRoot: boolean }} consent
 * @throws {Error} with one sentence that names what is missing and the command that installs it here
 */
export async function installPrograms(wanted, { say, ask, isRoot }) {
  const missing = wanted.map((key) => PROGRAMS[key]).filter((entry) => !isPresent(entry));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  const manager = Object.keys(MANAGERS).find(onPath);
  const packages = missing.flatMap((entry) => entry.packages[manager] ?? []);
  const advice = adviceOf(missing, manager, packages);
  if (!isRoot || manager !== 'apt-get') throw new Error(`Missing: ${names}. ${advice}`);
  const command = `apt-get install ${packages.join(' ')}`;
  if (ask && !(await ask(`This needs ${names}. Run ${command}?`))) throw new Error(`Missing: ${names}. ${advice}`);
  say(`Installing ${names} (${command}) …`);
  apt(['update', '-qq'], advice);
  apt(['install', '-y', '-qq', '--no-install-recommends', ...packages], advice);
}

function adviceOf(missing, manager, packages) {
  const otherwise = missing.flatMap((entry) => entry.otherwise ?? []).join(', ');
  const command = packages.length === missing.length ? `${MANAGERS[manager]} ${packages.join(' ')}` : undefined;
  if (command === undefined) return `Install it with the package manager of this system${otherwise && `, ${otherwise}`}.`;
  return `Run: ${command}${otherwise && ` (${otherwise})`}`;
}

function apt(args, advice) {
  const { status, stdout, stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`apt-get ${args[0]} failed. ${advice}\n${(stderr || stdout).trim()}`);
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
