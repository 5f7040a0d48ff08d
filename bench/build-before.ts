import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The commit to compare with before the first release. */
const BEFORE_RELEASES = 'bench/compared-commit';

const run = promisify(execFile);
const git = async (...args: readonly string[]): Promise<string> => (await run('git', ['-C', ROOT, ...args])).stdout.trim();

/** The commit that a change is compared with: of the last release, or the one that the file of this folder names. */
const commitBefore = async (): Promise<string> => {
  const released = await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^').catch(() => undefined);
  return released ?? readFileSync(path.join(ROOT, BEFORE_RELEASES), 'utf8').trim();
};

/**
 * Checks the state to compare with out into a folder, and builds it there.
 * @returns its commit, and the folder of the build
 * @throws when this checkout has no such commit (a shallow clone), or when it cannot be built
 */
export const buildBefore = async (folder: string): Promise<{ readonly commit: string; readonly dist: string }> => {
  const commit = await commitBefore();
  const checkout = path.join(folder, 'before');
  await git('worktree', 'add', '--detach', '--quiet', checkout, commit);
  const lockOf = (root: string): string => readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  // With other dependencies it installs its own.
  if (lockOf(checkout) === lockOf(ROOT)) symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  await run(process.execPath, [path.join('scripts', 'front-door.mjs'), 'build'], { cwd: checkout });
  return { commit, dist: path.join(checkout, 'dist') };
};

/** Takes the checkout away again, however far it came. It does not wait, so that it can run as the process ends. */
export const removeBefore = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  // Git forgets the checkouts whose folders are gone.
  execFileSync('git', ['-C', ROOT, 'worktree', 'prune']);
};
