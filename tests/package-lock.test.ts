import { readFileSync } from 'node:fs';
import path from 'node:path';

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(path.join(__dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/** Where Node would look for `name` from inside the package at `from`, nearest first. */
function lookups(from: string, name: string): readonly string[] {
  const nesting = from === '' ? [] : from.split('/node_modules/');
  return nesting
    .map((_, depth) => `${nesting.slice(0, nesting.length - depth).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`);
}

test('the lock lists every platform of every native package, so that npm ci works on all of them', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !lookups(from, name).some((place) => place in packages)),
  );
  expect(missing).toEqual([]);
});

test('the lock names no registry, and every package has its checksum', () => {
  const entries = Object.entries(packages).filter(([place]) => place !== '');
  expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([place]) => place)).toEqual([]);
  expect(entries.filter(([, { integrity }]) => integrity === undefined).map(([place]) => place)).toEqual([]);
});
