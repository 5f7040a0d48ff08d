import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Each reads src anew, so folders with the same options are one project. */
const PROJECTS = {
  src: 'tsconfig.json',
  tests: 'tests/tsconfig.json',
  sdk: 'sdk/tsconfig.json',
  'clients of the API': 'sdk/clients/typescript/tsconfig.json',
  admin: 'admin/tsconfig.json',
  'testkit, proofs and bench': 'testkit/tsconfig.programs.json',
};

/**
 * Checks types, lint rules and formatting; every check runs, also after another has failed.
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all of them passed
 */
export async function lint(root, say) {
  const projects = Object.entries(PROJECTS).filter(([, project]) => existsSync(path.join(root, project)));
  const checks = [
    ...projects.map(([name, project]) => ({
      name: `types of ${name}`,
      program: 'typescript/bin/tsc',
      args: ['--noEmit', '-p', project],
    })),
    { name: 'lint rules', program: 'eslint/bin/eslint.js', args: ['--max-warnings=0', '.'] },
    { name: 'layout', program: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level=warn', '.'] },
  ];
  const passed = await Promise.all(checks.map((check) => passes(root, check, say)));
  return passed.every(Boolean);
}

function passes(root, { name, program, args }, say) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', program), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('close', (code) => {
      say(code === 0 ? `${name}: good` : `${name}: faults\n${said.trim()}`);
      resolve(code === 0);
    });
  });
}
