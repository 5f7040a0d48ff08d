import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Jest has stopped its stores when it writes the results; after this time it is killed. */
const MAX_EXIT_MS = 5_000;
const POLL_MS = 100;

/**
 * Tests in which no request may miss a deadline while several replicas serve traffic: many tests beside them on two cores would take the
 * time that they measure. They wait more than they compute, so two of them run beside each other.
 */
const TIMED = ['tests/faults/', 'tests/replicas/(failover|lost-counters|node-versions|redis-cluster|rolling-restart)'];
const MAX_TIMED = 2;

/**
 * Runs jest and prints, as the last line, how many tests passed and failed; a test file that cannot be run counts as
 * one failure. Without arguments all tests run: most beside each other, then those that need time.
 * @param {string} root the checkout
 * @param {readonly string[]} args for jest
 * @returns {Promise<boolean>} whether tests ran and all passed
 */
export async function runTests(root, args) {
  const runs =
    args.length > 0
      ? [args]
      : [
          ['--testPathIgnorePatterns', '/node_modules/', ...TIMED],
          [`--maxWorkers=${MAX_TIMED}`, ...TIMED],
        ];
  const counts = [];
  for (const one of runs) {
    const count = await runJest(root, one);
    counts.push(count);
    // Ended by a signal.
    if (!count.ended) break;
  }
  const sum = (of) => counts.reduce((total, count) => total + of(count), 0);
  const failed = sum((count) => count.failed);
  console.log(`${sum((count) => count.passed)} passed, ${failed} failed`);
  return failed === 0 && counts.every(({ ended, passed }) => ended && passed > 0);
}

/**
 * The test files that a run with these arguments would run.
 * @param {string} root the checkout
 * @param {readonly string[]} args for jest
 * @returns {Promise<readonly string[]>} absolute paths
 */
export async function listTests(root, args) {
  const jest = [path.join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--listTests', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, jest, { cwd: root });
  return stdout.split('\n').filter(Boolean);
}

/**
 * One run of jest, which does not exit while a server, client or timer of a test is open. A failed test may leave one
 * behind: jest is ended 5 s after it has written its results.
 */
async function runJest(root, args) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ad-server-results-'));
  const results = path.join(folder, 'results.json');
  const jest = [path.join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--json', `--outputFile=${results}`, ...args];
  // Ctrl-C reaches jest too: wait until it has stopped its stores, then count.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  // With --json jest writes JSON to its standard output and the report for people to its standard error.
  const child = spawn(process.execPath, jest, { cwd: root, stdio: ['inherit', 'ignore', 'inherit'] });
  const forward = (signal) => child.kill(signal);
  process.on('SIGTERM', forward);
  let writtenAtMs = Infinity;
  let isStuck = false;
  const watch = setInterval(() => {
    if (existsSync(results)) writtenAtMs = Math.min(writtenAtMs, performance.now());
    if (performance.now() - writtenAtMs < MAX_EXIT_MS || isStuck) return;
    isStuck = true;
    console.error('Jest did not exit: a test left something open. `jest --detectOpenHandles` finds it.');
    child.kill('SIGKILL');
  }, POLL_MS);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  clearInterval(watch);
  const counts = existsSync(results)
    ? JSON.parse(readFileSync(results, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
  rmSync(folder, { recursive: true });
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  return { passed: counts.numPassedTests, failed, ended: code === 0 || isStuck || failed > 0 };
}
