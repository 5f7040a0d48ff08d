import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { needsBuild } from '../../scripts/needs-build.mjs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const ROOT = path.resolve(__dirname, '../..');
const of = (...files: readonly string[]): boolean =>
  needsBuild(
    ROOT,
    files.map((file) => path.join(ROOT, 'tests', file)),
  );

test('tests that run from source need no build', () => {
  expect(of('ledger/pacing.test.ts', 'decision/rank-candidates.test.ts', 'targeting/dimensions.test.ts', 'base/secret-box.test.ts')).toBe(
    false,
  );
});

test.each(['replicas/drain.test.ts', 'browser/admin-lists.test.ts', 'bookings/lists.test.ts', 'sdk/built-files.test.ts'])(
  '%s starts a replica or a browser, or reads built files, and needs one, also among others',
  (file) => {
    expect(of(file)).toBe(true);
    expect(of('ledger/pacing.test.ts', file)).toBe(true);
  },
);

test('what a comment names needs no build, and what a module of the tests does over a detour needs one', () => {
  const root = temporaryFolder();
  mkdirSync(path.join(root, 'tests'));
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(root, 'tests', name), text);
    return path.join(root, 'tests', name);
  };
  write('replica.ts', `export const main = 'dist/main.js';`);
  write('fleet.ts', `import {\n  main,\n} from './replica.ts';\nexport { main };`);
  expect(needsBuild(root, [write('a.test.ts', '// As dist/main.js does.\n/** Not in dist. */')])).toBe(false);
  expect(needsBuild(root, [write('b.test.ts', `import { main } from './fleet.ts';`)])).toBe(true);
});
