import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { messagesOf, parsePo } from './po.mjs';

/** Own styles of the trafficking page, in the order of the cascade. */
const STYLES = [
  'theme',
  'layout',
  'navigation',
  'buttons',
  'fields',
  'tables',
  'lists',
  'notices',
  'forms',
  'previews',
  'comments',
  'conflict',
  'desk',
  'palette',
  'overview',
  'refusals',
  'flow',
  'delivery',
  'reports',
  'timeline',
  'forecast',
  'imports',
  'sign-in',
];

/**
 * The trafficking page's styles in one file, its libraries' first; the texts of each language; and the documents of its previews.
 * @param {string} root the checkout
 */
export function publishAdminFiles(root) {
  const [sources, served] = [path.join(root, 'admin'), path.join(root, 'public', 'admin')];
  // Each library begins with its character set, which a file may declare only once.
  const libraries = ['@picocss/pico/css/pico.min.css', 'uplot/dist/uPlot.min.css'].map((file) =>
    readFileSync(path.join(root, 'node_modules', file), 'utf8').replace(/^@charset "UTF-8";/, ''),
  );
  const own = STYLES.map((name) => readFileSync(path.join(sources, `styles/${name}.css`), 'utf8'));
  mkdirSync(served, { recursive: true });
  const { code } = transformSync([...libraries, ...own].join('\n'), { loader: 'css', minify: true });
  writeFileSync(path.join(served, 'admin.css'), `@charset "UTF-8";\n${code}`);
  // For the page of the API, which has the same colours.
  copyFileSync(path.join(sources, 'styles/theme.css'), path.join(served, 'theme.css'));
  for (const file of readdirSync(path.join(sources, 'languages')).filter((name) => name.endsWith('.po'))) {
    const { entries } = parsePo(readFileSync(path.join(sources, 'languages', file), 'utf8'));
    writeFileSync(path.join(served, file.replace(/\.po$/, '.json')), JSON.stringify(messagesOf(entries)));
  }
  for (const file of ['preview.html', 'live-page.html']) copyFileSync(path.join(sources, 'parts/preview', file), path.join(served, file));
}
