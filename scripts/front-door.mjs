/*
 * What `npm start`, `npm test`, `npm run build` and `npm run lint` do, from a fresh checkout: they first make sure that the
 * dependencies, the build and the servers are there. Imports only Node's built-in modules, because others may not be installed yet.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { installDependencies, isInstalled } from './install-dependencies.mjs';
import { installPrograms } from './install-programs.mjs';
import { lint } from './lint.mjs';
import { installNode, NODE_VERSIONS, runOnEach } from './node-versions.mjs';
import { needsOfTests } from './needs-of-tests.mjs';
import { listTests, runTests } from './run-tests.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MIN_NODE = [20, 18, 1];
const NO_PRIVATE_STORES =
  'The private Postgres and Redis run on Linux only: run "docker compose up", or start both (on macOS: brew install postgresql redis) and set DATABASE_URL and REDIS_URL.';

const verbs = {
  /** Imported, not spawned: so that the service receives signals and sets the exit code directly. */
  start: async (args) => {
    await prepareStart(args);
    buildDocsBeside();
    const main = path.join(ROOT, 'dist', 'main.js');
    process.argv = [process.argv[0], main, ...args];
    await import(pathToFileURL(main).href);
  },
  /** The same, restarted at every save. */
  dev: async (args) => {
    await prepareStart(args);
    const { develop } = await import('./dev.mjs');
    await develop(ROOT, args, say);
    // The embedded stores leave timers behind.
    process.exit();
  },
  test: async (args) => {
    endWithNpm();
    if (args.length > 0 && isInstalled(ROOT)) {
      const needs = needsOfTests(ROOT, await listTests(ROOT, args));
      if (!needs.stores) process.env.AD_SERVER_TEST_STORES = 'none';
      if (!needs.build) {
        await installPrograms(['redis'], consent);
        process.exitCode = (await runTests(ROOT, args)) ? 0 : 1;
        return;
      }
    }
    await installPrograms(['redis', 'postgres', 'chromium', 'fonts', 'curl', 'python'], consent);
    await installDependencies(ROOT, say);
    // The registry sends the versions of Node while the compiler works.
    await Promise.all([build(ROOT, say), ...NODE_VERSIONS.map((version) => installNode(ROOT, version, say))]);
    process.exitCode = (await runTests(ROOT, args)) ? 0 : 1;
  },
  build: async () => {
    await installDependencies(ROOT, say);
    await build(ROOT, say);
  },
  /** The documents as a site in public/docs, which the service serves at /static/docs/. */
  docs: async () => {
    await installDependencies(ROOT, say);
    const { buildDocs } = await import('./build-docs.mjs');
    await buildDocs(ROOT);
  },
  lint: async () => {
    await installDependencies(ROOT, say);
    process.exitCode = (await lint(ROOT, say)) ? 0 : 1;
  },
  /** Collects the texts of the page for its translations. */
  texts: async (args) => {
    await installDependencies(ROOT, say);
    const { updateTexts } = await import('./texts.mjs');
    process.exitCode = (await updateTexts(args.includes('--check'), say)) ? 0 : 1;
  },
  bench: async (args) => {
    endWithNpm();
    await installDependencies(ROOT, say);
    await verbs.run(['bench/bench.ts', ...args]);
  },
  /** Runs another verb on every supported version of Node: front-door.mjs versions test */
  versions: async (args) => {
    endWithNpm();
    await installDependencies(ROOT, say);
    process.exitCode = (await runOnEach(ROOT, args, say)) ? 0 : 1;
  },
  migrate: async () => {
    await installDependencies(ROOT, say);
    await build(ROOT, say);
    await import(pathToFileURL(path.join(ROOT, 'dist', 'commands', 'migrate.js')).href);
  },
  /** Prepares like `start`, then runs one of the project's own TypeScript programs: front-door.mjs run bench/load.ts … */
  run: async ([program, ...args]) => {
    await installDependencies(ROOT, say);
    await build(ROOT, say);
    await installPrograms(['redis'], consent);
    const file = path.resolve(ROOT, program);
    process.argv = [process.argv[0], file, ...args];
    await import('./run-typescript.mjs');
    await import(pathToFileURL(file).href);
  },
};

/** What the service needs, for `start` and `dev`. */
async function prepareStart(args) {
  endWithNpm();
  const demo = args.find((arg) => arg.startsWith('--demo='));
  if (demo) process.env.DEMO_DATA = demo.slice('--demo='.length);
  // What is missing is said before the minute that the rest takes.
  const own = ownStores(process.env);
  if (own.length > 0 && process.platform !== 'linux') throw new Error(NO_PRIVATE_STORES);
  if (own.includes('REDIS_URL')) await installPrograms(['redis'], consent);
  await installDependencies(ROOT, say);
  await build(ROOT, say);
}

/** The documents of a checkout that has none yet, in a process that gives way to the service. */
function buildDocsBeside() {
  if (existsSync(path.join(ROOT, 'public', 'docs', 'index.html'))) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'docs'], { cwd: ROOT, stdio: 'ignore' });
  child.on('error', ({ message }) => say(`The documents cannot be built: ${message}`));
  child.on('exit', (code) => code === 0 || say('The documents could not be built; "npm run docs" says why.'));
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.unref();
  process.once('exit', () => child.kill());
}

function say(line) {
  console.error(line);
}

/** npm forwards SIGTERM only to its shell and cannot forward SIGKILL: without this the service would outlive `npm start`. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

/** The variables of the stores that the service will start itself. */
function ownStores(env) {
  const { NODE_ENV: nodeEnv, EMBEDDED_STORES: embedded } = env;
  const starts = embedded?.trim() ? /^(true|1|yes|on)$/i.test(embedded.trim()) : nodeEnv?.toLowerCase() !== 'production';
  return starts ? ['DATABASE_URL', 'REDIS_URL'].filter((name) => !env[name]?.trim()) : [];
}

/** A person at a terminal is asked before anything is installed. */
async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^(y|yes|)$/i.test((await terminal.question(`${question} [Y/n] `)).trim());
  } finally {
    terminal.close();
  }
}

function hasOldNode() {
  const version = process.versions.node.split('.').map(Number);
  const differs = MIN_NODE.findIndex((part, index) => part !== version[index]);
  return differs !== -1 && version[differs] < MIN_NODE[differs];
}

const [verb, ...given] = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--yes');
// npm hides the terminal's input only when there is none: without one there is no answer.
const unasked = given.includes('--yes') || Boolean(process.env.CI) || !process.stdin.isTTY;
const consent = { say, ask: unasked ? undefined : ask, isRoot: process.getuid?.() === 0 };
if (hasOldNode()) {
  say(`Node ${MIN_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}
if (!Object.hasOwn(verbs, verb)) {
  say(`Usage: node scripts/front-door.mjs ${Object.keys(verbs).join(' | ')}`);
  process.exit(2);
}
try {
  await verbs[verb](args);
} catch (error) {
  // Errors of the steps in this file have readable messages; others are printed with their stack.
  say(error.constructor === Error ? error.message : error.stack);
  process.exit(1);
}
