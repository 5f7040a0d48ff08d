import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Projects of TypeScript. Each reads src anew, so folders with the same options are one project. */
export const PROJECTS = {
  src: 'tsconfig.json',
  sdk: 'sdk/tsconfig.json',
  'clients of the API': 'sdk/clients/typescript/tsconfig.json',
  admin: 'admin/tsconfig.json',
  tests: 'tests/tsconfig.json',
  'testkit, proofs and bench': 'testkit/tsconfig.programs.json',
};

/** The code in two halves of about the same length, for two processes: their projects, and their folders, of which the first has the rest. */
export const HALVES = [
  { name: 'what runs', projects: ['src', 'sdk', 'clients of the API', 'admin'], folders: undefined },
  { name: 'what tests', projects: ['tests', 'testkit, proofs and bench'], folders: ['tests', 'testkit', 'proofs', 'bench'] },
];

const LINT_HALF = fileURLToPath(new URL('lint-half.mjs', import.meta.url));

/**
 * Checks types, lint rules and formatting; every check runs, also after another has failed.
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all of them passed
 */
export async function lint(root, say) {
  const prettier = path.join(root, 'node_modules', 'prettier/bin/prettier.cjs');
  const passed = await Promise.all([
    ...HALVES.map(({ name }) => runs(root, [LINT_HALF, name]).then(({ ok, said }) => (say(said), ok))),
    runs(root, [prettier, '--check', '--log-level=warn', '.']).then(({ ok, said }) => {
      say(ok ? 'layout: good' : `layout: faults\n${said}`);
      return ok;
    }),
  ]);
  return passed.every(Boolean);
}

function runs(root, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('close', (code) => resolve({ ok: code === 0, said: said.trim() }));
  });
}
