import { readFileSync } from 'node:fs';

/*
 * What a release needs before anything is published: the tag, package.json and the newest version of
 * the changelog, in the working directory, name the same version, and no entry is left out.
 * node scripts/check-release.mjs v1.2.3
 */
const tag = process.argv[2] ?? '';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const newest = /^## (\d+\.\d+\.\d+\S*)/m.exec(changelog)?.[1];
const unreleased = /^## Unreleased\n+(.*)$/m.exec(changelog)?.[1] ?? '';

const faults = [
  ...(/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag) ? [] : [`The tag "${tag}" is not a version such as v1.2.3.`]),
  ...(tag === `v${version}` ? [] : [`package.json has the version ${version}, the tag is "${tag}".`]),
  ...(newest === version ? [] : [`The newest version in CHANGELOG.md is ${newest ?? 'missing'}, package.json has ${version}.`]),
  ...(unreleased === '' || unreleased.startsWith('## ') ? [] : ['CHANGELOG.md has entries under "Unreleased".']),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
