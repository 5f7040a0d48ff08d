import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepTokenSecret } from '../../src/config/keep-token-secret.ts';

const STATE_DIR = mkdtempSync(path.join(tmpdir(), 'ad-server-secret-'));
afterAll(() => rmSync(STATE_DIR, { recursive: true }));

test('a restart in development finds the secret of the last start', () => {
  const first = keepTokenSecret({ STATE_DIR });
  expect(Buffer.byteLength(first['TOKEN_SECRET']!)).toBeGreaterThanOrEqual(32);
  expect(keepTokenSecret({ STATE_DIR })).toEqual(first);
  expect(statSync(path.join(STATE_DIR, 'token-secret')).mode & 0o777).toBe(0o600);
});

test('a given secret is kept, and production creates none', () => {
  for (const env of [{ TOKEN_SECRET: 'mine' }, { TOKEN_SECRETS: 'a:b' }, { NODE_ENV: 'production' }])
    expect(keepTokenSecret(env)).toBe(env);
});
