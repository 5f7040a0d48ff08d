import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Writes k8s/rendered/: the output of `kubectl kustomize` for each overlay, with a hash of its
 * sources. Reviewers read the rendered files, and the tests check them without kubectl. The hash
 * detects stale files. With --check, as in the workflow `ci`, it compares instead of writing.
 */
const K8S = fileURLToPath(new URL('../k8s', import.meta.url));
const OVERLAYS = ['development', 'staging', 'production'];

const filesUnder = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesUnder(path.join(folder, entry.name)) : [path.join(folder, entry.name)]));

const hash = createHash('sha256');
for (const file of filesUnder(K8S).filter((name) => !name.startsWith(path.join(K8S, 'rendered'))))
  hash.update(`${path.relative(K8S, file)}\0`).update(readFileSync(file));
const sources = hash.digest('hex');

if (process.argv.includes('--hash')) {
  console.log(sources);
} else {
  for (const overlay of OVERLAYS) {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', path.join(K8S, 'overlays', overlay)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`kubectl kustomize failed for ${overlay}:\n${stderr}`);
    const head = `# Made by "make manifests" from k8s/overlays/${overlay}; do not edit.\n# sources: ${sources}\n`;
    const file = path.join(K8S, 'rendered', `${overlay}.yaml`);
    if (!process.argv.includes('--check')) writeFileSync(file, head + stdout);
    else if (readFileSync(file, 'utf8') !== head + stdout)
      throw new Error(`${file} is not what kubectl kustomize makes: run "make manifests".`);
  }
}
