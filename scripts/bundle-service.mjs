import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * What starts on its own, by the folder of its bundle. The replica shares none with the commands: code that only some of many entries share
 * would lie in many files.
 * @param {string} src
 */
export const entriesOf = (src) => ({
  bundle: ['main', 'catalog/worker/catalog-worker'],
  'bundle-beside': [
    'forecast/forecast-worker',
    ...readdirSync(path.join(src, 'commands')).map((name) => `commands/${path.basename(name, '.ts')}`),
  ],
});

/**
 * Loaded from node_modules: OpenTelemetry, which most replicas never load; the client of Redis, whose calls a proof measures
 * (proofs/rig/replica-probe.mjs); the client of Kafka, which reads a file beside itself; CommonJS packages that are imported at their first use, which in a bundle have only a default export;
 * and the drivers of other databases, which knex names and nothing here has.
 */
const APART = [
  '@opentelemetry/*',
  'ioredis',
  '@aws-sdk/client-s3',
  '@clickhouse/client',
  '@platformatic/kafka',
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

/** Of a file of the bundle: two bytes for each of its characters would be noticed. */
const LARGE_BYTES = 100_000;

/** These name their own address, in a comment or in what the service never calls. */
const ADDRESS_UNUSED = [
  'undici/index.js',
  '@colors/colors/lib/colors.js',
  'knex/lib/migrations/migrate/MigrationGenerator.js',
  'knex/lib/migrations/seed/Seeder.js',
];

/**
 * Bundles the service with its packages: it begins to serve after half the CPU time, because Node resolves and reads a few files
 * instead of two thousand. The modules beside the bundles are those of the command `ads` and of the tests.
 * @param {string} root the checkout
 * @param {string} dist the compiled modules; their entries then load the bundle
 */
export async function bundleService(root, dist) {
  // Imported here: the dependencies may not be installed when this file is loaded.
  const { build } = await import('esbuild');
  const src = path.join(root, 'src');
  const bundle = async ([folder, entries]) => {
    const { metafile } = await build({
      entryPoints: entries.map((entry) => path.join(src, `${entry}.ts`)),
      absWorkingDir: root,
      outdir: path.join(dist, folder),
      ...{ entryNames: '[name]', bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
      ...{ external: APART, legalComments: 'none', logLevel: 'error', metafile: true },
      // Node keeps the source of each file, and two bytes for each character of it where one is not ASCII, as those of comments.
      ...{ minifyWhitespace: true, lineLimit: 160 },
      // Beside the bundle, and not named in it: Node reads the whole map of a file with the first stack of an error, which held the event
      // loop for 400 ms.
      ...{ sourcemap: 'external', sourcesContent: false },
      // Newer Node has it. Without it pg makes a Response to find out where it runs, for which Node 20 loads its client of HTTP, twice.
      define: { navigator: '{"userAgent":"Node.js"}' },
      banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
      plugins: [addressesOfModules(src)],
    });
    for (const { entryPoint = '', exports } of Object.values(metafile.outputs))
      if (entryPoint.includes('node_modules/') && exports.join() === 'default' && isCommonJs(path.join(root, entryPoint)))
        throw new Error(`${entryPoint} is CommonJS, and would have no named exports where it is imported later: add its package to APART.`);
    for (const input of Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)))
      if (input.includes('node_modules/') && readsBesideItself(path.join(root, input)))
        throw new Error(`${input} names its own address, and in a bundle would not find the files beside it: add its package to APART.`);
    for (const [output, { bytes }] of Object.entries(metafile.outputs))
      if (output.endsWith('.js') && bytes > LARGE_BYTES && /[^\x00-\x7f]/.test(readFileSync(path.join(root, output), 'utf8')))
        throw new Error(`${output} has a character that is not ASCII: Node would keep two bytes for each character of the file.`);
    for (const entry of entries) {
      const file = path.join(dist, `${entry}.js`);
      mkdirSync(path.dirname(file), { recursive: true });
      const bundled = path.join(dist, folder, `${path.basename(entry)}.js`);
      writeFileSync(file, `import '${path.relative(path.dirname(file), bundled).replace(/^(?!\.)/, './')}';\n`);
    }
  };
  await Promise.all(Object.entries(entriesOf(src)).map(bundle));
}

/** It has no `export` of a module. */
const isCommonJs = (file) => !/^export\b/m.test(readFileSync(file, 'utf8'));

const readsBesideItself = (file) =>
  /\bimport\.meta\b|\b__(?:dir|file)name\b/.test(readFileSync(file, 'utf8')) &&
  !ADDRESS_UNUSED.some((end) => file.endsWith(`/node_modules/${end}`));

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
