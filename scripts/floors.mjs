import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The folders of src from top to bottom. A folder imports only folders below its own; folders of one row do not import
 * each other unless SAME_FLOOR allows it. '.' is src itself.
 * @type {readonly (readonly string[])[]}
 */
export const FLOORS = [
  ['.'],
  ['cli', 'commands', 'replica'],
  ['agents', 'trafficking'],
  ['buys'],
  ['approvals'],
  ['alerts', 'finance'],
  ['delivery'],
  ['imports'],
  ['assets', 'declarations', 'forecast', 'people', 'reports'],
  ['proofing'],
  ['links'],
  ['bookings'],
  ['api'],
  ['access', 'http'],
  ['serving'],
  ['tracking'],
  ['events'],
  ['bidders', 'ledger'],
  ['decision', 'creative', 'context', 'uploads'],
  ['catalog'],
  ['targeting', 'redis', 'mail'],
];
/** @type {Readonly<Record<string, readonly string[]>>} */
export const SAME_FLOOR = { commands: ['replica'], decision: ['creative'] };
/** May be imported from every folder of src, and import none of the floors. */
export const EVERYWHERE = ['base', 'config', 'observability'];
/** For development, demo and tests: only main.ts imports it, dynamically. */
export const EMBEDDED = 'embedded';

/**
 * The import lines of a source file, with relative targets as paths from the checkout.
 * @param {string} name of the file, from the checkout
 * @param {string} text
 * @returns {readonly { readonly target: string; readonly typeOnly: boolean }[]}
 */
export const importsOf = (name, text) => {
  const found = text.matchAll(/^(?:import|export)\s(?:(type)\s)?[^'";]*?from\s'([^']+)'|\bimport\(\s*'([^']+)'|^import\s'([^']+)'/gm);
  return [...found].map(([, type, from, dynamic, bare]) => {
    const target = from ?? dynamic ?? bare ?? '';
    return { target: target.startsWith('.') ? path.join(path.dirname(name), target) : target, typeOnly: type !== undefined };
  });
};

/**
 * The folder of src that a file of src is in, '.' for src itself.
 * @param {string} name
 * @returns {string}
 */
export const folderOf = (name) => {
  const [, folder, ...rest] = name.split(path.sep);
  return folder !== undefined && rest.length > 0 ? folder : '.';
};

/**
 * Which folders of src import which, by the import lines of their files.
 * @param {string} root of the checkout
 * @returns {ReadonlyMap<string, ReadonlySet<string>>}
 */
export const foldersImported = (root) => {
  const imported = new Map();
  for (const entry of readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) continue;
    const name = path.join('src', entry);
    const folder = folderOf(name);
    const targets = imported.get(folder) ?? new Set();
    imported.set(folder, targets);
    for (const { target } of importsOf(name, readFileSync(path.join(root, name), 'utf8')))
      if (target.startsWith(`src${path.sep}`) && folderOf(target) !== folder) targets.add(folderOf(target));
  }
  return imported;
};
