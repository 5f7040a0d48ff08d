import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installPrograms } from '../../scripts/install-programs.mjs';
import { atEnd } from '../setup/at-end.ts';

const REAL_PATH = process.env['PATH'];
let folder: string;

/** A machine on whose PATH are only these programs; each writes its arguments to a file. */
const machineWith = async (...programs: readonly string[]): Promise<void> => {
  folder = await mkdtemp(path.join(tmpdir(), 'ad-server-path-'));
  const made = folder;
  atEnd(() => rm(made, { recursive: true }));
  for (const program of programs) {
    await writeFile(path.join(folder, program), `#!/bin/sh\necho "$@" >> ${folder}/calls\n`);
    await chmod(path.join(folder, program), 0o755);
  }
  process.env['PATH'] = folder;
};
afterEach(() => void (process.env['PATH'] = REAL_PATH));

const calls = () => readFile(path.join(folder, 'calls'), 'utf8').catch(() => '');
const REDIS_TOOLS = 'update -qq\ninstall -y -qq --no-install-recommends redis-tools\n';

test.each([
  ['apt-get', 'Missing: a Redis server. Run: sudo apt-get install redis-tools (or set REDIS_URL)'],
  ['dnf', 'Missing: a Redis server. Run: sudo dnf install redis (or set REDIS_URL)'],
  ['apk', 'Missing: a Redis server. Run: sudo apk add redis (or set REDIS_URL)'],
  ['brew', 'Missing: a Redis server. Run: brew install redis (or set REDIS_URL)'],
  ['', 'Missing: a Redis server. Install it with the package manager of this system, or set REDIS_URL.'],
])('an ordinary user with %s reads one sentence with the command, and nothing is installed', async (manager, sentence) => {
  await machineWith(...(manager === '' ? [] : [manager]));
  await expect(installPrograms(['redis'], { say: () => undefined, ask: undefined, isRoot: false })).rejects.toThrow(sentence);
  expect(await calls()).toBe('');
});

test('root is asked, with what and why, and nothing is installed after a no', async () => {
  await machineWith('apt-get');
  const questions: string[] = [];
  const answering = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  await expect(installPrograms(['redis'], { say: () => undefined, ask: answering(false), isRoot: true })).rejects.toThrow(
    'Missing: a Redis',
  );
  expect(questions).toEqual(['This needs a Redis server. Run apt-get install redis-tools?']);
  expect(await calls()).toBe('');
  await installPrograms(['redis'], { say: () => undefined, ask: answering(true), isRoot: true });
  expect(await calls()).toBe(REDIS_TOOLS);
});

test('root without a terminal, in CI or with --yes: it says what it installs, and installs it', async () => {
  await machineWith('apt-get');
  const said: string[] = [];
  await installPrograms(['redis'], { say: (line) => said.push(line), ask: undefined, isRoot: true });
  expect(said).toEqual(['Installing a Redis server (apt-get install redis-tools) …']);
  expect(await calls()).toBe(REDIS_TOOLS);
});

test('nothing is asked or installed where everything is present', async () => {
  await machineWith('apt-get', 'redis-server');
  await installPrograms(['redis'], { say: () => undefined, ask: undefined, isRoot: true });
  expect(await calls()).toBe('');
});
