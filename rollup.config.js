import nodeResolve from '@rollup/plugin-node-resolve';
import swc from '@rollup/plugin-swc';
import terser from '@rollup/plugin-terser';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { publishAdminFiles } from './scripts/publish-admin-files.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const sources = join(root, 'sdk/src');
const served = join(root, 'public/sdk');
const adminSources = join(root, 'admin');
const adminServed = join(root, 'public/admin');
const { version, license } = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'));

const typescript = (target = 'es2021') => swc({ swc: { swcrc: false, jsc: { parser: { syntax: 'typescript' }, target } } });
const minify = () => terser({ ecma: 2020, module: true, compress: { passes: 3, unsafe_arrows: true }, format: { comments: /^!/ } });

/** The first script of every sandboxed frame, as text: built once, so that every bundle has the same text and policies need one hash. */
const buildFrameBridge = async () => {
  const bundle = await rollup({ input: join(sources, 'frame-bridge.ts'), plugins: [typescript()] });
  const { output } = await bundle.generate({ format: 'iife', strict: false, plugins: [minify()] });
  await bundle.close();
  const text = output[0].code.trim();
  if (/<\/script|<!--/i.test(text)) throw new Error('the frame bridge must not contain text that ends or changes a script element');
  return text;
};

const hash = (algorithm, data) => `${algorithm}-${createHash(algorithm).update(data).digest('base64')}`;

const writeTypes = () => {
  const types = join(root, '.cache/sdk-types');
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const project = join(root, 'sdk/tsconfig.json');
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', project, '--declaration', '--emitDeclarationOnly', '--outDir', types],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`the SDK's types do not hold:\n${stdout}`);
  const declarations = ['contract', 'adsdk']
    .map((name) => readFileSync(join(types, `${name}.d.ts`), 'utf8').replace(/^(import|export) .*from '.*';\n/gm, ''))
    .join('\n')
    .replace(/\bAdSDKContract\b/g, 'AdSDK');
  writeFileSync(join(served, 'adsdk.d.ts'), declarations);
};

/** Parts of the SDK that it loads when they are needed: with the first native ad, with the first video, when a visitor reports an ad, for `?adsdk_debug`, and for `#adsdk_preview`. */
const SOURCE_OF_PART = {
  native: 'render-native.ts',
  player: 'player/render-player.ts',
  dialog: 'report-modal.ts',
  debug: 'debug/overlay.ts',
  preview: 'preview-on-page.ts',
};

/** Of the part that the package exports as `@ad-server/adsdk/debug`. */
const OVERLAY_TYPES = `import type { AdSDKOptions } from './adsdk.js';
/** Shows the debug overlay. Returns the \`fetch\` for the SDK, which adds the trace to its requests. */
export declare const startOverlay: (send?: NonNullable<AdSDKOptions['fetch']>) => NonNullable<AdSDKOptions['fetch']>;
`;

/** The files beside the bundles: types, the immutable copy named by its version, and the integrity hashes. */
const publish = (bridge) => ({
  name: 'publish',
  closeBundle() {
    writeTypes();
    copyFileSync(join(sources, 'frame.html'), join(served, 'frame.html'));
    // For sites that bundle the package, under a name without the version.
    copyFileSync(join(served, `adsdk-debug-${version}.js`), join(served, 'adsdk-debug.js'));
    writeFileSync(join(served, 'adsdk-debug.d.ts'), OVERLAY_TYPES);
    const names = ['adsdk', 'adsdk-loader', 'prebid-adapter'];
    for (const name of names) copyFileSync(join(served, `${name}.min.js`), join(served, `${name}-${version}.min.js`));
    const integrity = Object.fromEntries(
      [
        'adsdk.js',
        'adsdk.esm.js',
        ...names.flatMap((name) => [`${name}.min.js`, `${name}-${version}.min.js`]),
        ...Object.keys(SOURCE_OF_PART).map((part) => `adsdk-${part}-${version}.js`),
      ].map((file) => [file, hash('sha384', readFileSync(join(served, file)))]),
    );
    writeFileSync(join(served, 'integrity.json'), `${JSON.stringify(integrity, undefined, 2)}\n`);
    writeFileSync(join(served, 'csp.json'), `${JSON.stringify({ 'script-src': [`'${hash('sha256', bridge)}'`] }, undefined, 2)}\n`);
  },
});

const bridge = await buildFrameBridge();
/** Constants that a bundle contains as text, by their names in build-constants.d.ts. */
const constants = {
  name: 'constants',
  transform: (code) => ({
    code: code
      .replaceAll('SDK_VERSION', JSON.stringify(version))
      .replaceAll('FRAME_BRIDGE', () => JSON.stringify(bridge))
      .replaceAll('FULL_INTEGRITY', () => JSON.stringify(hash('sha384', readFileSync(join(served, 'adsdk.min.js'))))),
    map: null,
  }),
};
const banner = `/*! AdSDK ${version} | ${license} */`;

export default [
  {
    input: join(sources, 'global.ts'),
    plugins: [typescript(), constants],
    output: [
      { file: join(served, 'adsdk.js'), format: 'iife', banner },
      { file: join(served, 'adsdk.min.js'), format: 'iife', banner, plugins: [minify()] },
    ],
  },
  {
    input: join(sources, 'adsdk.ts'),
    plugins: [typescript(), constants],
    output: [
      { file: join(served, 'adsdk.esm.js'), format: 'es', banner, inlineDynamicImports: true },
      { file: join(served, 'adsdk.cjs'), format: 'cjs', banner, inlineDynamicImports: true },
    ],
  },
  ...Object.entries(SOURCE_OF_PART).map(([part, source]) => ({
    input: join(sources, source),
    plugins: [typescript(), constants],
    output: { file: join(served, `adsdk-${part}-${version}.js`), format: 'es', banner, plugins: [minify()] },
  })),
  {
    input: join(sources, 'prebid-adapter.ts'),
    plugins: [typescript(), constants],
    output: { file: join(served, 'prebid-adapter.min.js'), format: 'iife', banner, plugins: [minify()] },
  },
  // Served as /www/delivery/asyncjs.php.
  {
    input: join(sources, 'revive-async.ts'),
    plugins: [typescript()],
    output: { file: join(served, 'revive-async.js'), format: 'iife', plugins: [minify()] },
  },
  // After the full script, whose hash it contains: rollup builds one configuration after the other.
  {
    input: join(sources, 'loader.ts'),
    plugins: [typescript(), constants, publish(bridge)],
    output: { file: join(served, 'adsdk-loader.min.js'), format: 'iife', banner, plugins: [minify()] },
  },
  {
    input: join(adminSources, 'main.ts'),
    plugins: [nodeResolve(), typescript('es2022'), { name: 'publish-admin-files', closeBundle: () => publishAdminFiles(root) }],
    // The code of charts and of the booking screen is loaded with the first of them.
    output: { dir: adminServed, entryFileNames: 'admin.js', chunkFileNames: '[name].js', format: 'es', plugins: [minify()] },
  },
  {
    input: join(adminSources, 'sign-in/main.ts'),
    plugins: [nodeResolve(), typescript('es2022')],
    output: { file: join(adminServed, 'sign-in.js'), format: 'es', plugins: [minify()] },
  },
  {
    input: join(adminSources, 'words/before-paint.ts'),
    plugins: [typescript('es2022')],
    output: { file: join(adminServed, 'before-paint.js'), format: 'iife', plugins: [minify()] },
  },
  {
    input: join(adminSources, 'parts/preview/frame.ts'),
    plugins: [typescript('es2022')],
    output: { file: join(adminServed, 'preview.js'), format: 'iife', plugins: [minify()] },
  },
  {
    input: join(adminSources, 'parts/preview/live-page-frame.ts'),
    plugins: [typescript('es2022')],
    output: { file: join(adminServed, 'live-page.js'), format: 'iife', plugins: [minify()] },
  },
  {
    input: join(adminSources, 'parts/preview/previews.ts'),
    plugins: [typescript('es2022')],
    output: { file: join(adminServed, 'previews.js'), format: 'iife', plugins: [minify()] },
  },
];
