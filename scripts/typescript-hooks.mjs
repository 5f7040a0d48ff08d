/** The hook of module.register that ./run-typescript.mjs sets: compiles one file at a time, without looking at its types. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code } = await transform(await readFile(file, 'utf8'), {
    ...{ loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline', sourcefile: file },
  });
  return { format: 'module', shortCircuit: true, source: code };
}
