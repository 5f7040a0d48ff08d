import type { Browser } from 'playwright-core';
import { BROWSER_SWITCHES, browserPath } from '../../../testkit/browser-path.ts';

/** Headless Chromium names itself, and hits of programs are filtered. */
const PERSON = '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const browsers = new Set<Browser>();
const ofThisFile = new Set<Browser>();
afterEach(() => Promise.all([...browsers].flatMap((browser) => browser.contexts()).map((context) => context.close())));
afterAll(() => Promise.all([...ofThisFile].map((browser) => browser.close())));

/** Its pages end with each test. It is used by the next file too, unless it has more switches than others. */
export const startBrowser = async (more: readonly string[] = []): Promise<Browser> => {
  const args = [...BROWSER_SWITCHES, PERSON, ...more];
  const browser = await openWorkerBrowser({ executablePath: browserPath(), args });
  browsers.add(browser);
  if (more.length > 0) ofThisFile.add(browser);
  return browser;
};
