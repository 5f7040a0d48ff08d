import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

test('the built page does not look for new builds, as the one of `npm run dev` does', () => {
  const [, file = ''] = /const BUILD = '([^']+)'/.exec(readFileSync(path.join(ROOT, 'scripts/reload-page.mjs'), 'utf8')) ?? [];
  expect(file).toBe('/static/admin/build.json');
  expect(readFileSync(path.join(ROOT, 'public/admin/admin.js'), 'utf8')).not.toContain(file);
});
