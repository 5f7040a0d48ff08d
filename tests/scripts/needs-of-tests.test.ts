import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { needsOfTests } from '../../scripts/needs-of-tests.mjs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const ROOT = path.resolve(__dirname, '../..');
const of = (...files: readonly string[]): ReturnType<typeof needsOfTests> =>
  needsOfTests(
    ROOT,
    files.map((file) => path.join(ROOT, 'tests', file)),
  );

test('tests that run from source need no build, and those of rules alone no stores', () => {
  expect(of('decision/rank-candidates.test.ts', 'targeting/dimensions.test.ts', 'base/schema-compiler.test.ts')).toEqual({
    build: false,
    stores: false,
  });
  expect(of('ledger/pacing.test.ts', 'base/secret-box.test.ts')).toEqual({ build: false, stores: true });
});

test.each(['replicas/drain.test.ts', 'browser/admin-lists.test.ts', 'bookings/lists.test.ts', 'sdk/built-files.test.ts'])(
  '%s starts a replica or a browser, or reads built files, and needs one, also among others',
  (file) => {
    expect(of(file).build).toBe(true);
    expect(of('decision/rank-candidates.test.ts', file).build).toBe(true);
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
  expect(needsOfTests(root, [write('a.test.ts', '// As dist/main.js does.\n/** Not in dist. */')]).build).toBe(false);
  expect(needsOfTests(root, [write('b.test.ts', `import { main } from './fleet.ts';`)]).build).toBe(true);
});
