import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runNpm } from './install-dependencies.mjs';

/** The versions of Node that the service supports: the oldest that `engines` allows, and the two latest with long-term support. */
export const NODE_VERSIONS = ['20.20.2', '24.21.0', '26.10.0'];

/**
 * Installs a version of Node from the npm registry, once, under `.cache/`.
 * @param {string} root the checkout
 * @param {string} version
 * @param {(line: string) => void} say
 * @returns {Promise<string>} the path of its program
 * @throws {Error} when the registry has no build for this system
 */
export async function installNode(root, version, say) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(root, '.cache', 'node', version);
  const program = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(program)) {
    say(`Installing Node ${version} (npm package ${name}) …`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true }));
    await runNpm(folder, ['install', '--ignore-scripts', '--prefix', folder, `${name}@${version}`]);
  }
  return program;
}

/**
 * Runs a verb of the front door on each version, in turn, and prints a table of how each ended.
 * @param {string} root the checkout
 * @param {readonly string[]} args the verb and its arguments: `test`, `bench --quick`
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether it succeeded on all of them
 */
export async function runOnEach(root, args, say) {
  const results = [];
  for (const version of NODE_VERSIONS) {
    const program = await installNode(root, version, say);
    say(`\nNode ${version}: ${args.join(' ')}`);
    const started = performance.now();
    const { status } = spawnSync(program, [path.join(root, 'scripts', 'front-door.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PATH: `${path.dirname(program)}${path.delimiter}${process.env.PATH}` },
    });
    results.push({ version, status, seconds: Math.round((performance.now() - started) / 1000) });
  }
  say('');
  for (const { version, status, seconds } of results) say(`Node ${version}: ${status === 0 ? 'succeeded' : 'failed'} after ${seconds} s`);
  return results.every(({ status }) => status === 0);
}
