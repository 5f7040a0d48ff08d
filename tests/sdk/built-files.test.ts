import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = 'public/sdk';
const read = (file: string): string => readFileSync(join(BUILT, file), 'utf8');
const version = JSON.parse(readFileSync('sdk/package.json', 'utf8')).version as string;

test.each([
  ['adsdk.min.js', 8100],
  ['adsdk-loader.min.js', 3000],
  ['prebid-adapter.min.js', 2000],
  [`adsdk-native-${version}.js`, 1500],
  [`adsdk-player-${version}.js`, 4900],
  [`adsdk-dialog-${version}.js`, 2000],
  [`adsdk-debug-${version}.js`, 7000],
  [`adsdk-preview-${version}.js`, 1000],
])('%s is at most %i bytes gzipped', (file, maxBytes) => {
  expect(gzipSync(read(file), { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
});

test('no bundle evaluates text as code', () => {
  for (const file of readdirSync(BUILT).filter((name) => /js$/.test(name)))
    expect(read(file)).not.toMatch(/\beval\b|new Function|document\.write/);
});

test('the versioned copy equals the minified script, and every hash matches its file', () => {
  expect(read(`adsdk-${version}.min.js`)).toBe(read('adsdk.min.js'));
  const integrity = JSON.parse(read('integrity.json')) as Record<string, string>;
  expect(Object.keys(integrity)).toContain(`adsdk-${version}.min.js`);
  for (const [file, hash] of Object.entries(integrity)) {
    expect(hash).toBe(`sha384-${createHash('sha384').update(read(file)).digest('base64')}`);
  }
});

test('docs/sdk.md has the size and the hash of the built script', () => {
  const documentation = readFileSync('docs/sdk.md', 'utf8');
  expect(documentation).toContain(`${(gzipSync(read('adsdk.min.js'), { level: 9 }).length / 1000).toFixed(1)} kB`);
});

test('the types describe the public interface to a page written in TypeScript', () => {
  const folder = mkdtempSync(join(BUILT, 'types-'));
  try {
    writeFileSync(
      join(folder, 'page.ts'),
      `import { AdSDK, createAdSDK, type AdResponse } from '../adsdk.js';
       AdSDK.setApiKey('k');
       AdSDK.setPublisherId(1);
       const shown: Promise<boolean> = AdSDK.renderAd('p', 'c', undefined, { section: ['a', 1] });
       void AdSDK.renderNativeAd('p', 'c', (assets, { escapeHTML }) => \`<a href="\${escapeHTML(assets.clickUrl)}">\${escapeHTML(assets.title)}</a>\`);
       const answer: Promise<AdResponse> = createAdSDK({ baseUrl: 'https://x' }).fetchAd('p');
       document.addEventListener('AdSDK:noAd', ({ detail }) => detail.nbr?.toFixed());
       window.AdSDK.destroy(document.body);
       // @ts-expect-error a reason must be one of the five
       void AdSDK.reportAd('t', 'boring');
       export { shown, answer };`,
    );
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: 'es2020',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2020', 'dom'],
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }));
    const { stdout } = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the packed package can be imported, required and typed, and renders nothing on a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adsdk-package-'));
  const run = (program: string, args: readonly string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync(program, [...args], { cwd, encoding: 'utf8' });
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    return stdout;
  };
  try {
    cpSync('sdk', join(folder, 'sdk'), { recursive: true });
    cpSync(BUILT, join(folder, 'public/sdk'), { recursive: true });
    const [packed] = JSON.parse(run('npm', ['pack', '--json', '--offline', '--pack-destination', folder], join(folder, 'sdk'))) as {
      filename: string;
    }[];
    const site = join(folder, 'site');
    const installed = join(site, 'node_modules/@ad-server/adsdk');
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', join(folder, packed!.filename), '-C', installed, '--strip-components=1'], folder);
    const use = `sdk.createAdSDK({ baseUrl: 'https://ads.invalid' }).renderAd('p', 'c').then((shown) => console.log(shown, sdk.AdSDK.version))`;
    writeFileSync(join(site, 'page.mjs'), `import * as sdk from '@ad-server/adsdk';\n${use}`);
    writeFileSync(join(site, 'page.cjs'), `const sdk = require('@ad-server/adsdk');\n${use}`);
    for (const file of ['page.mjs', 'page.cjs']) expect(run(process.execPath, [file], site)).toBe(`false ${version}\n`);
    writeFileSync(
      join(site, 'typed.ts'),
      `import { AdSDK as sdk, createAdSDK } from '@ad-server/adsdk';\nvoid sdk.renderAd('p', document.body);\nAdSDK.cmd.push((one) => one.setUserId(null));\n` +
        `import { startOverlay } from '@ad-server/adsdk/debug';\nexport const ads = createAdSDK({ baseUrl: '', fetch: startOverlay() });`,
    );
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: 'es2020',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      lib: ['es2020', 'dom'],
      types: [],
    };
    // The example is written as a site would: against the package alone.
    cpSync('sdk/examples/article-page.ts', join(site, 'article-page.ts'));
    const options = { ...compilerOptions, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true };
    writeFileSync(join(site, 'package.json'), '{"type":"module"}');
    writeFileSync(join(site, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['typed.ts', 'article-page.ts'] }));
    run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', '.'], site);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
