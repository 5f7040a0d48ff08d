import { chromium, type Browser } from 'playwright-core';
import { BROWSER_SWITCHES, browserPath } from '../../../testkit/browser-path.ts';

/** Headless Chromium names itself, and hits of programs are filtered. */
const PERSON = '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const browsers = new Set<Browser>();
afterEach(() => Promise.all([...browsers].flatMap((browser) => browser.contexts()).map((context) => context.close())));
afterAll(() => Promise.all([...browsers].map((browser) => browser.close())));

/** It ends with the test file, its pages with each test. */
export const startBrowser = async (more: readonly string[] = []): Promise<Browser> => {
  const args = [...BROWSER_SWITCHES, PERSON, ...more];
  const browser = await chromium.launch({ executablePath: browserPath(), args });
  browsers.add(browser);
  return browser;
};
