import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startProcess, type Process } from '../../testkit/start-process.ts';
import { atEnd } from '../setup/at-end.ts';

const ROOT = path.resolve(__dirname, '../..');
const RUN_TESTS = pathToFileURL(path.join(ROOT, 'scripts/run-tests.mjs')).href;

/** Runs one test file as `npm test` does. */
const run = async (text: string, config: object = {}): Promise<Process & { readonly seconds: number }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-run-tests-'));
  atEnd(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'package.json'), '{}');
  await writeFile(path.join(folder, 'sample.test.js'), text);
  const program = `
    const { runTests } = await import(${JSON.stringify(RUN_TESTS)});
    process.exitCode = (await runTests(${JSON.stringify(ROOT)}, ['--rootDir', ${JSON.stringify(folder)}, '--config', ${JSON.stringify(JSON.stringify(config))}])) ? 0 : 1;`;
  const begun = performance.now();
  const running = await startProcess({ command: [process.execPath, '--input-type=module', '--eval', program] });
  atEnd(() => running.end('SIGKILL'));
  await running.ended;
  return { ...running, seconds: (performance.now() - begun) / 1000 };
};

const TYPESCRIPT = { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } };
const LISTEN = `require('node:net').createServer().listen(0);`;

test('a failed test that leaves a server open ends the run within seconds, with the counts and exit code 1', async () => {
  const { seconds, ending, output } = await run(`test('a', () => {}); test('b', () => { ${LISTEN} expect(1).toBe(2); });`);
  expect(ending()).toBe(1);
  expect(output()).toMatch(/Jest did not exit/);
  expect(output().trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed');
  expect(seconds).toBeLessThan(30);
});

test('what a failed test of this project leaves open is closed, so that jest exits without being killed', async () => {
  const { seconds, ending, output } = await run(
    `const { createServer, connect } = require('node:net');
    const { spawn } = require('node:child_process');
    test('c', async () => {
      const server = createServer(() => {}).listen(0);
      const again = () => connect(server.address().port).on('error', () => {}).on('close', () => setTimeout(again, 10));
      again();
      spawn('sleep', ['1000']);
      setInterval(() => {}, 1000);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(1).toBe(2);
    });`,
    {
      testEnvironment: path.join(ROOT, 'tests/setup/closing-environment.ts'),
      transform: { ts$: [path.join(ROOT, 'node_modules/@swc/jest'), TYPESCRIPT] },
    },
  );
  expect(ending()).toBe(1);
  expect(output()).not.toMatch(/did not exit/);
  expect(output().trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
  expect(seconds).toBeLessThan(30);
});

test('a run that leaves nothing open ends by itself', async () => {
  const { ending, output } = await run(`test('a', () => {});`);
  expect(ending()).toBe(0);
  expect(output()).not.toMatch(/Jest did not exit/);
  expect(output().trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed');
});
