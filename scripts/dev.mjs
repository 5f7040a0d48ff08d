import { spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { forgetBuild, run } from './build.mjs';
import { entriesOf } from './bundle-service.mjs';
import { publishAdminFiles } from './publish-admin-files.mjs';

/** An editor writes a file in several steps, and a tool many files. */
const QUIET_MS = 60;
/** A service that does not end is killed. */
const MAX_STOP_MS = 1_000;

/**
 * Runs the service and restarts it when a file is saved; open pages of the trafficking tool reload themselves. A saved module is compiled
 * alone and unchecked: the editor and `npm run lint` check types. The stores of the service outlive its restarts.
 * @param {string} root the checkout, built
 * @param {readonly string[]} args for the service
 * @param {(line: string) => void} say
 * @returns {Promise<void>} after SIGINT or SIGTERM
 */
export async function develop(root, args, say) {
  const dist = path.join(root, 'dist');
  const buildFile = path.join(root, 'public', 'admin', 'build.json');
  const { default: ts } = await import('typescript');
  const { buildSync } = await import('esbuild');
  // This page and these modules are not those of a build.
  forgetBuild(root);
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  // A module on its own belongs to no package that would say that it is an ES module.
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const stores = await startStores(dist);

  const buildPage = () => {
    const entry = (file) => `import ${JSON.stringify(path.join(root, file))};`;
    const common = { bundle: true, target: 'es2022', sourcemap: 'inline', logLevel: 'error' };
    buildSync({
      ...common,
      stdin: { contents: `${entry('admin/main.ts')}${entry('scripts/reload-page.mjs')}`, resolveDir: root },
      ...{ format: 'esm', outfile: path.join(root, 'public/admin/admin.js') },
    });
    const frame = path.join(root, 'admin/parts/preview/frame.ts');
    buildSync({ ...common, entryPoints: [frame], format: 'iife', outfile: path.join(root, 'public/admin/preview.js') });
    publishAdminFiles(root);
  };
  const publishModule = (file) => {
    const from = path.join(root, file);
    const to = path.join(dist, path.relative('src', file));
    const target = to.replace(/\.ts$/, '.js');
    if (!existsSync(from)) return rmSync(target, { recursive: true, force: true });
    mkdirSync(path.dirname(to), { recursive: true });
    if (/\.(lua|json)$/.test(file)) cpSync(from, to);
    if (!file.endsWith('.ts')) return undefined;
    const { outputText, sourceMapText } = ts.transpileModule(readFileSync(from, 'utf8'), { compilerOptions, fileName: from });
    writeFileSync(target, outputText);
    return writeFileSync(`${target}.map`, sourceMapText);
  };

  let service;
  const start = () => {
    service = spawn(process.execPath, ['--enable-source-maps', path.join(dist, 'main.js'), ...args], {
      env: { ...process.env, DRAIN_TIME: '0', ...stores.env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  };
  const stop = async () => {
    if (service.exitCode !== null || service.signalCode !== null) return;
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    const late = setTimeout(() => service.kill('SIGKILL'), MAX_STOP_MS);
    await ended;
    clearTimeout(late);
  };
  const tellPages = () => writeFileSync(buildFile, JSON.stringify({ build: Date.now() }));

  const publish = async (files) => {
    const isIn = (folder) => files.some((file) => file.startsWith(folder + path.sep));
    for (const file of files.filter((each) => each.startsWith(`src${path.sep}`))) publishModule(file);
    if (isIn('sdk')) await run(root, 'rollup/dist/bin/rollup', ['-c', '--silent']);
    // The page contains modules of src.
    buildPage();
    if (isIn('src') || isIn('sdk') || isIn('config') || isIn('migrations')) {
      await stop();
      start();
    }
    tellPages();
  };

  const saved = new Set();
  let timer;
  let work = Promise.resolve();
  const onSave = (file) => {
    saved.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(async () => {
        const files = [...saved];
        saved.clear();
        if (files.length === 0) return;
        const begun = performance.now();
        try {
          await publish(files);
          say(`${files.join(', ')}: new after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
        } catch (error) {
          // A file with a fault is reported, and the next save tries again.
          say(error.message);
        }
      });
    }, QUIET_MS);
  };

  // In place of the bundles, which no saved module would reach.
  for (const entry of Object.values(entriesOf(path.join(root, 'src'))).flat()) publishModule(path.join('src', `${entry}.ts`));
  buildPage();
  tellPages();
  start();
  const stopWatching = watchFolders(root, ['src', 'admin', 'sdk', 'config', 'migrations'], onSave);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
  stopWatching();
  clearTimeout(timer);
  await work;
  await stop();
  await stores.stop();
  rmSync(buildFile, { force: true });
}

/** One watcher a folder: on Linux the recursive one of Node 20 misses changes. @returns what ends it */
function watchFolders(root, folders, onSave) {
  const watchers = new Map();
  const add = (folder) => {
    if (watchers.has(folder) || path.basename(folder) === 'node_modules') return;
    const onEvent = (_event, name) => {
      const file = path.join(folder, name ?? '');
      if (lstatSync(path.join(root, file), { throwIfNoEntry: false })?.isDirectory()) add(file);
      else if (/\.(ts|lua|json|css|html|js)$/.test(file)) onSave(file);
    };
    watchers.set(folder, watch(path.join(root, folder), onEvent));
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true }))
      if (entry.isDirectory()) add(path.join(folder, entry.name));
  };
  for (const folder of folders) add(folder);
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}

/** The embedded stores of the service, in this process: what the settings name is not started. */
async function startStores(dist) {
  const load = (file) => import(pathToFileURL(path.join(dist, file)).href);
  const [{ readSettings }, { keepTokenSecret }] = [await load('config/read-settings.js'), await load('config/keep-token-secret.js')];
  const settings = readSettings(keepTokenSecret(process.env));
  if (settings.databaseUrl !== undefined && settings.redisUrls.length > 0) return { env: {}, stop: async () => {} };
  const { startEmbeddedStores } = await load('embedded/start-embedded-stores.js');
  const { addresses, stop } = await startEmbeddedStores(settings);
  const env = { DATABASE_URL: addresses.databaseUrl, REDIS_URL: addresses.redisUrls.join(' '), DEMO_DATA: process.env.DEMO_DATA || 'true' };
  return { env, stop };
}
