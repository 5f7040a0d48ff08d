import { spawn } from 'node:child_process';
import path from 'node:path';

/** What is checked, by the program that does. Rules and types: .oxlintrc.json. */
const CHECKS = [
  { name: 'rules and types', program: 'oxlint/bin/oxlint', args: ['--format=unix', '.'] },
  { name: 'layout', program: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level=warn', '.'] },
];

/**
 * Checks types, lint rules and formatting; every check runs, also after another has failed.
 * @param {string} root the checkout
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all of them passed
 */
export async function lint(root, say) {
  const passed = await Promise.all(
    CHECKS.map(async ({ name, program, args }) => {
      const { ok, said } = await runs(root, [path.join(root, 'node_modules', program), ...args]);
      say(ok ? `${name}: good` : `${name}: faults\n${said}`);
      return ok;
    }),
  );
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
