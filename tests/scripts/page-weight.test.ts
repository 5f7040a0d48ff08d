import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = path.resolve(__dirname, '../../public/admin');
const weightOf = (file: string): number => gzipSync(readFileSync(path.join(BUILT, file))).length;

test('the page loads at most 150 KiB, gzipped, and 64 KiB more for another language than English', () => {
  const page = ['before-paint.js', 'admin.css', 'admin.js'].map(weightOf);
  expect(page.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(150 * 1024);
  expect(weightOf('de.json')).toBeLessThanOrEqual(64 * 1024);
});
