import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Tests that start built replicas, open built pages or read built files name them, in their own text or in that of a module of the tests; the `dist` of a package is not meant. */
const BUILT = /(?<!\w\/)\bdist\b|public\/(sdk|admin|docs)|\bpublic\b|front-door|playwright/;
const STORES = path.join('tests', 'setup', 'stores-of-this-run.ts');
const IMPORT = /\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)|\bimport '(\.[^']+)'/g;
const OF_TESTS = ['tests', 'testkit'];

/**
 * Whether some of these test files use what `npm run build` writes, or a browser; and whether some use the stores that the
 * run starts for its tests.
 * @param {string} root the checkout
 * @param {readonly string[]} files absolute paths
 */
export function needsOfTests(root, files) {
  const needs = { build: false, stores: false };
  const seen = new Set();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    needs.build ||= BUILT.test(text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, ''));
    needs.stores ||= path.relative(root, file) === STORES;
    for (const [, from, dynamic, bare] of text.matchAll(IMPORT)) {
      const target = path.resolve(path.dirname(file), from ?? dynamic ?? bare);
      if (OF_TESTS.includes(path.relative(root, target).split(path.sep)[0])) waiting.push(target);
    }
  }
  return needs;
}
