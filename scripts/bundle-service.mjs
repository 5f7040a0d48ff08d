import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What starts on its own: the replica, and the thread that loads the catalog. */
const ENTRIES = ['main', 'catalog/worker/catalog-worker'];
/**
 * Loaded from node_modules: OpenTelemetry, which most replicas never load; the client of Redis, whose calls a proof measures
 * (proofs/rig/replica-probe.mjs); CommonJS packages that are imported at their first use, which in a bundle have only a default export;
 * and the drivers of other databases, which knex names and nothing here has.
 */
const APART = [
  '@opentelemetry/*',
  'ioredis',
  '@aws-sdk/client-s3',
  '@clickhouse/client',
  'yaml',
  'pg-native',
  'better-sqlite3',
  'sqlite3',
  'mysql',
  'mysql2',
  'oracledb',
  'tedious',
  'mariadb',
  'pg-query-stream',
];

/**
 * Bundles the service with its packages: it begins to serve after half the CPU time, because Node resolves and reads a few files
 * instead of two thousand. The modules beside the bundle are those of the commands and of the tests.
 * @param {string} root the checkout
 * @param {string} dist the compiled modules; their entries then load the bundle
 */
export async function bundleService(root, dist) {
  // Imported here: the dependencies may not be installed when this file is loaded.
  const { build } = await import('esbuild');
  const src = path.join(root, 'src');
  const { metafile } = await build({
    entryPoints: ENTRIES.map((entry) => path.join(src, `${entry}.ts`)),
    absWorkingDir: root,
    outdir: path.join(dist, 'bundle'),
    ...{ entryNames: '[name]', bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
    ...{ external: APART, legalComments: 'none', logLevel: 'error', metafile: true },
    // Beside the bundle, and not named in it: Node reads the whole map of a file with the first stack of an error, which held the event
    // loop for 400 ms.
    ...{ sourcemap: 'external', sourcesContent: false },
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
    plugins: [addressesOfModules(src)],
  });
  for (const { entryPoint = '', exports } of Object.values(metafile.outputs))
    if (entryPoint.includes('node_modules/') && exports.join() === 'default' && isCommonJs(path.join(root, entryPoint)))
      throw new Error(`${entryPoint} is CommonJS, and would have no named exports where it is imported later: add its package to APART.`);
  for (const entry of ENTRIES) {
    const file = path.join(dist, `${entry}.js`);
    mkdirSync(path.dirname(file), { recursive: true });
    const bundled = path.join(dist, 'bundle', `${path.basename(entry)}.js`);
    writeFileSync(file, `import '${path.relative(path.dirname(file), bundled).replace(/^(?!\.)/, './')}';\n`);
  }
}

/** It has no `export` of a module. */
const isCommonJs = (file) => !/^export\b/m.test(readFileSync(file, 'utf8'));

/** A module finds its Lua scripts and tables by its address, which in the bundle is that of its own file in dist. */
const addressesOfModules = (src) => ({
  name: 'addresses-of-modules',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const address = JSON.stringify(`../${path.relative(src, file).replace(/\.ts$/, '.js')}`);
      const contents = readFileSync(file, 'utf8').replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`);
      return { contents, loader: 'ts' };
    });
  },
});
