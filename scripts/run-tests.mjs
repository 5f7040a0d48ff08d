import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Runs jest and prints, as the last line, how many tests passed and failed; a test file that cannot be run counts as one failure.
 * @param {string} root the checkout
 * @param {readonly string[]} args for jest
 * @returns {Promise<boolean>} whether tests ran and all passed
 */
export async function runTests(root, args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ad-server-results-'));
  const results = path.join(folder, 'results.json');
  const jest = [path.join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--json', `--outputFile=${results}`, ...args];
  // Ctrl-C reaches jest too: wait for it to stop its stores, then count.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  // With --json jest gives its standard output to the JSON; people read its standard error.
  const child = spawn(process.execPath, jest, { cwd: root, stdio: ['inherit', 'ignore', 'inherit'] });
  const forward = (signal) => child.kill(signal);
  process.on('SIGTERM', forward);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const counts = existsSync(results)
    ? JSON.parse(readFileSync(results, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
  rmSync(folder, { recursive: true });
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  console.log(`${counts.numPassedTests} passed, ${failed} failed`);
  return code === 0 && failed === 0 && counts.numPassedTests > 0;
}
