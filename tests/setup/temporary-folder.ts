import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { atEnd } from './at-end.ts';

/** A new folder, which is removed after the last test of the file. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ad-server-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
