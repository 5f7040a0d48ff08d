import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** CHROMIUM_PATH, else the first Chromium on the path. @throws when there is none: the message says what to do */
export const browserPath = (): string => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = [process.env['CHROMIUM_PATH'], ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))].find(
    (path) => path && existsSync(path),
  );
  if (!found) throw new Error(`A browser is needed: one of ${NAMES.join(', ')} on the path, or CHROMIUM_PATH.`);
  return found;
};

/** Switches of every Chromium that is started here. */
export const BROWSER_SWITCHES: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
