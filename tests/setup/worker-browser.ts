import { ChildProcess } from 'node:child_process';
import type { Browser, BrowserContext, LaunchOptions } from 'playwright-core';
import { PATIENCE_MS } from '../../testkit/until.ts';

declare global {
  /** A Chromium with these switches, which the files of a worker use one after the other; whoever uses it closes its contexts. */
  var openWorkerBrowser: (options: LaunchOptions) => Promise<Browser>;
}

const browsers = new Map<string, Promise<Browser>>();

/**
 * Belongs to the worker, as the test environment does, and not to a test file, for which every module is loaded anew: a Chromium and
 * Playwright take a second of CPU time to start.
 */
export const openWorkerBrowser = async (options: LaunchOptions): Promise<Browser> => {
  const key = JSON.stringify(options);
  const open = await browsers.get(key)?.catch(() => undefined);
  if (open?.isConnected()) return open;
  const opening = import('playwright-core').then(async ({ chromium }) => withPatience(await chromium.launch(options)));
  browsers.set(key, opening);
  const browser = await opening;
  // Neither the end of a file nor that of the worker waits for it: it ends with its pipe.
  for (const handle of browserHandles()) (handle as { unref?: () => void } | null)?.unref?.();
  return browser;
};

/** Its pages wait as long as everything else in tests: Playwright's half a minute is not enough beside other work. */
const withPatience = (browser: Browser): Browser => {
  const open = browser.newContext.bind(browser);
  browser.newContext = async (...options): Promise<BrowserContext> => {
    const context = await open(...options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
};

/** The processes of these browsers, and their pipes. */
const browserHandles = (): readonly unknown[] =>
  activeHandles()
    .filter((handle) => handle instanceof ChildProcess && handle.spawnargs.includes('--remote-debugging-pipe'))
    .flatMap((one) => [one, ...((one as ChildProcess).stdio as readonly unknown[])]);

/** What keeps this process running. Undocumented, and the only list of it that holds the objects. */
export const activeHandles = (): readonly unknown[] =>
  (process as typeof process & { _getActiveHandles: () => readonly unknown[] })._getActiveHandles();
