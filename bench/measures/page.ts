import { chromium, type Browser, type Page } from 'playwright-core';
import { BROWSER_SWITCHES, browserPath } from '../../testkit/browser-path.ts';
import { withClient } from '../../testkit/databases.ts';
import type { Server } from '../../testkit/start-process.ts';
import { median } from '../../testkit/statistics.ts';
import type { Rig, Stage } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';

export const PAGE_PLAN = { lineItems: 10_000, publishers: 4, targeting: 'realistic' } as const;
const MAX_PAINT_MS = 300;
const LOADS = 7;
const ADMIN_TOKEN = 'admin-token-of-the-benchmark-longer-than-32-bytes';
/** Settings of the service with which the page may be signed in. */
export const PAGE_SETTINGS = { ADMIN_ENABLED: 'true', ADMIN_TOKEN };

/** Screens of the trafficking page, and what is there when its first records are. */
export const SCREENS = [
  { name: 'Home', hash: '#/overview', filled: '.status-counts' },
  { name: 'Line items', hash: '#/line_items', filled: 'tbody tr' },
  { name: 'Line items of one status', hash: '#/line_items?status=ready', filled: 'tbody tr' },
  { name: 'Line items by status', hash: '#/line_items?sort=status', filled: 'tbody tr' },
  { name: 'Campaigns', hash: '#/campaigns', filled: 'tbody tr' },
] as const;

export interface Load {
  /** After the navigation began. */
  readonly paintMs: number;
  readonly filledMs: number;
}

/** First paint and first records of the trafficking page, in a browser, with 10,000 line items. */
export const page = async (rig: Rig, { quick, rounds }: Scale): Promise<Finding> => {
  const stage = await rig.stage('page', PAGE_PLAN);
  const server = await rig.startService(stage, { env: PAGE_SETTINGS });
  const judgedMs = median(await judgeLists(stage, server));
  rig.say(`  a list of one status is judged and answered in ${whole(judgedMs)} ms`);
  const browser = await launchBrowser();
  const count = quick ? 3 : Math.max(LOADS, rounds);
  const rows: string[][] = [];
  const paints: number[] = [];
  try {
    for (const { name, hash, filled } of SCREENS) {
      const loads = await loadScreen(browser, server, { hash, filled, loads: count });
      const filledMs = loads.map((load) => load.filledMs);
      const paintMs = median(loads.map((load) => load.paintMs));
      paints.push(paintMs);
      rows.push([name, whole(paintMs), whole(median(filledMs)), whole(Math.max(...filledMs))]);
      rig.say(`  ${rows.at(-1)!.join(', ')} ms`);
    }
  } finally {
    await browser.close();
  }
  await rig.stop(server);
  return {
    title: 'The trafficking page',
    text: [
      tableOf(['screen', 'first paint ms', 'first records ms', 'slowest ms'], rows),
      `Chromium loads each screen with ${whole(PAGE_PLAN.lineItems)} line items ${count} times after one load that is not counted; medians. Times are from the beginning of the navigation. The first list of one status after a change of the catalog, for which the service judges all line items, is answered in ${whole(judgedMs)} ms.`,
    ].join('\n\n'),
    goals: [
      atMost('first paint of the trafficking page, the slowest of its screens, against 300 ms', 1, Math.max(...paints) / MAX_PAINT_MS),
    ],
  };
};

const CHANGES = 5;

/** The first answer to a list of one status after each of some changes; later ones share its judgement. */
const judgeLists = async ({ databaseUrl }: Stage, { url }: Pick<Server, 'url'>): Promise<readonly number[]> => {
  const tookMs: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    await withClient(databaseUrl, (client) => client.query('update line_items set cpm_micros = cpm_micros + 1000 where campaign_id = 1'));
    await fetch(`${url}/reload`, { method: 'POST' });
    const begun = performance.now();
    const answer = await fetch(`${url}/api/line_items?status=ready&limit=100`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    await answer.text();
    if (!answer.ok) throw new Error(`The list answered ${answer.status}`);
    tookMs.push(performance.now() - begun);
  }
  return tookMs;
};

export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: browserPath(), args: [...BROWSER_SWITCHES] });

interface Screen {
  readonly hash: string;
  readonly filled: string;
  readonly loads: number;
}

/** The first load, which fills the caches of browser and service, is not counted. */
export const loadScreen = async (
  browser: Browser,
  { url }: Pick<Server, 'url'>,
  { hash, filled, loads }: Screen,
): Promise<readonly Load[]> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  await tab.addInitScript({ content: signInAndNote(filled) });
  const measured: Load[] = [];
  for (let n = 0; n <= loads; n++) {
    await tab.goto('about:blank');
    await tab.goto(`${url}/static/admin.html${hash}`);
    const load = await readLoad(tab, filled);
    if (n > 0) measured.push(load);
  }
  await context.close();
  return measured;
};

/** Runs in the page, before its own scripts: signs in, hides the steps to the first ad, and notes when the first records are there. */
const signInAndNote = (selector: string): string => `
  if (location.protocol === 'http:') {
    sessionStorage.setItem('admin-token', ${JSON.stringify(ADMIN_TOKEN)});
    localStorage.setItem('set-up-hidden', 'true');
  }
  new MutationObserver(() => {
    if (window.filledAtMs === undefined && document.querySelector(${JSON.stringify(selector)})) window.filledAtMs = performance.now();
  }).observe(document, { childList: true, subtree: true });`;

const MAX_WAIT_MS = 60_000;

const readLoad = async (tab: Page, filled: string): Promise<Load> => {
  await tab.locator(filled).first().waitFor({ state: 'attached', timeout: MAX_WAIT_MS });
  return tab.evaluate<Load>(
    "({ paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, filledMs: window.filledAtMs })",
  );
};
