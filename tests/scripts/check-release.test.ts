import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { atEnd } from '../setup/at-end.ts';

const SCRIPT = path.resolve(__dirname, '../../scripts/check-release.mjs');

/** Exit code and output in a checkout with this version and changelog. */
const check = (tag: string, version: string, changelog: string): readonly [number | null, string] => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ad-server-release-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(path.join(folder, 'CHANGELOG.md'), changelog);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, tag], { cwd: folder, encoding: 'utf8' });
  return [status, stderr];
};

test('a tag that package.json and the changelog name is released', () => {
  expect(check('v1.2.3', '1.2.3', '# Changelog\n\n## 1.2.3 (2026-11-22)\n\n- News.\n\n## 1.2.2\n')).toEqual([0, '']);
  expect(check('v1.2.3', '1.2.3', '# Changelog\n\n## Unreleased\n\n## 1.2.3\n\n- News.\n')).toEqual([0, '']);
});

test.each([
  ['no version', 'latest', '1.2.3', '## 1.2.3\n', 'not a version'],
  ['another version in package.json', 'v1.2.4', '1.2.3', '## 1.2.3\n', 'package.json has the version 1.2.3, the tag is "v1.2.4"'],
  ['another version in the changelog', 'v1.2.3', '1.2.3', '## 1.2.2\n', 'The newest version in CHANGELOG.md is 1.2.2'],
  ['no version in the changelog', 'v1.2.3', '1.2.3', '# Changelog\n', 'is missing'],
  ['entries that no version has', 'v1.2.3', '1.2.3', '## Unreleased\n\n### Added\n\n## 1.2.3\n', 'entries under "Unreleased"'],
])('%s stops a release and says why', (_, tag, version, changelog, words) => {
  expect(check(tag, version, changelog)).toEqual([1, expect.stringContaining(words)]);
});
