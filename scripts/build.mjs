import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleService } from './bundle-service.mjs';

/** Inputs of the build: a change in one of these makes it stale. */
const SOURCES = [
  'src',
  'admin',
  'sdk',
  'tsconfig.json',
  'rollup.config.js',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/bundle-service.mjs',
  'scripts/country-tables.mjs',
  'scripts/publish-admin-files.mjs',
];
const STAMP = '.built-from';

/**
 * Makes the next build run, because dist/ or the browser's files have been changed by hand.
 * @param {string} root the checkout
 */
export function forgetBuild(root) {
  rmSync(path.join(root, 'dist', STAMP), { force: true });
}

/**
 * Builds dist/ (and, by rollup, the browser's files in public/) unless it is up to date.
 * The old dist/ stays until the new one is complete. Throws an Error with the output of the compiler.
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 */
export async function build(root, say) {
  const fingerprint = fingerprintOf(root);
  const dist = path.join(root, 'dist');
  const hasBrowserCode = existsSync(path.join(root, 'rollup.config.js'));
  const isWhole =
    existsSync(path.join(dist, STAMP)) &&
    (!hasBrowserCode || ['sdk', 'admin'].every((name) => existsSync(path.join(root, 'public', name))));
  if (isWhole && readFileSync(path.join(dist, STAMP), 'utf8') === fingerprint) {
    say('The build is fresh.');
    return;
  }
  say('Building …');
  const started = Date.now();
  const unfinished = path.join(root, `dist.new-${process.pid}`);
  try {
    await Promise.all([
      run(root, 'typescript-native/bin/tsc', ['-p', '.', '--outDir', unfinished]),
      ...(hasBrowserCode ? [run(root, 'rollup/dist/bin/rollup', ['-c', '--silent'])] : []),
    ]);
    copyDataFiles(path.join(root, 'src'), unfinished);
    await bundleService(root, unfinished);
    // Imported here: the dependencies may not be installed when this file is loaded.
    const { writeCountryTables } = await import('./country-tables.mjs');
    writeCountryTables(root, path.join(unfinished, 'geodata'));
    writeFileSync(path.join(unfinished, STAMP), fingerprint);
    rmSync(dist, { recursive: true, force: true });
    renameSync(unfinished, dist);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function fingerprintOf(root) {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesUnder(path.join(root, source)))) {
    hash.update(`${path.relative(root, file)}\0${statSync(file).size}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Sorted, so that the hash is the same on every machine. */
function filesUnder(place) {
  if (!existsSync(place)) return [];
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place)
    .sort()
    .flatMap((name) => filesUnder(path.join(place, name)));
}

/** Lua scripts and JSON lie beside the modules that load them, in dist as in src. */
function copyDataFiles(from, to) {
  for (const file of filesUnder(from).filter((name) => /\.(lua|json)$/.test(name))) cpSync(file, path.join(to, path.relative(from, file)));
}

/**
 * Runs a program of a package. Throws an Error with its output when it fails.
 * @param {string} root the checkout
 * @param {string} program
 * @param {readonly string[]} args
 */
export function run(root, program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', program), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The build failed (${program.split('/').at(-1)}):\n${said.trim()}`)),
    );
  });
}
