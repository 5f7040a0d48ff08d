import { spawn } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Installs the dependencies unless node_modules matches package-lock.json. Throws an Error with a
 * readable message.
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 */
export async function installDependencies(root, say) {
  if (isInstalled(root)) return;
  if (lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error('node_modules is a link to packages that do not match package-lock.json. Install them at its target.');
  }
  say('Installing the dependencies (npm ci; the first time this takes about half a minute) …');
  const started = Date.now();
  // No dependency needs its install scripts. The build needs the development packages, also with
  // NODE_ENV=production.
  await runNpm(root, ['ci', '--ignore-scripts', '--include=dev']);
  say(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/**
 * Runs npm in a folder. @throws {Error} with what npm printed
 * @param {string} folder
 * @param {readonly string[]} args
 */
export async function runNpm(folder, args) {
  const quiet = [...args, '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...rest] = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath, ...quiet]
    : ['npm', ...quiet];
  const child = spawn(command, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`npm ${args[0]} failed:\n${error.message}`)));
    child.on('close', resolve);
  });
  const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (status !== 0) throw new Error(`npm ${args[0]} failed:\n${(stderr || stdout).trim()}`);
}

/** As its last step, npm writes the list of installed packages to node_modules/.package-lock.json. */
export function isInstalled(root) {
  const installed = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
  const locked = packagesOf(path.join(root, 'package-lock.json'));
  if (installed === undefined || locked === undefined) return false;
  return Object.entries(locked)
    .filter(([place, { optional }]) => place !== '' && !optional)
    .every(([place, { version, integrity }]) => installed[place]?.version === version && installed[place]?.integrity === integrity);
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
