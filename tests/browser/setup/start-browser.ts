import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const QUIET = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** CHROMIUM_PATH, else the first Chromium on the path. */
const browserPath = (): string => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = [process.env['CHROMIUM_PATH'], ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))].find(
    (path) => path && existsSync(path),
  );
  if (!found) throw new Error(`The browser tests need one of ${NAMES.join(', ')} on the path, or CHROMIUM_PATH.`);
  return found;
};

/** Headless Chromium names itself, and hits of programs are filtered. */
const PERSON = '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const browsers = new Set<Browser>();
afterEach(() => Promise.all([...browsers].flatMap((browser) => browser.contexts()).map((context) => context.close())));
afterAll(() => Promise.all([...browsers].map((browser) => browser.close())));

/** It ends with the test file, its pages with each test. */
export const startBrowser = async (more: readonly string[] = []): Promise<Browser> => {
  const args = ['--no-sandbox', '--disable-gpu', PERSON, ...QUIET, ...more];
  const browser = await chromium.launch({ executablePath: browserPath(), args });
  browsers.add(browser);
  return browser;
};
