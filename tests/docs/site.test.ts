import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROBLEMS } from '../../src/http/problems/problem.ts';
import { REMEDIES } from '../../src/api/remedies.ts';
import type { Page } from 'playwright-core';
import { startBrowser } from '../browser/setup/start-browser.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { readDocument, ROOT } from './documents.ts';

const SITE = path.join(ROOT, 'public/docs');
const run = promisify(execFile);

let replica: Replica;
beforeAll(async () => {
  const state = await mkdtemp(path.join(tmpdir(), 'ad-server-state-'));
  atEnd(() => rm(state, { recursive: true }));
  // The demo pages are part of what is linked.
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DEMO_DATA: 'true', STATE_DIR: state },
  });
});

test('the page of errors has every code with its title and remedy', () => {
  const rows = readDocument('docs/errors.md').match(/^\| \d+ .*$/gm);
  expect(rows).toEqual(
    Object.entries(PROBLEMS).map(
      ([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} | ${REMEDIES[code as keyof typeof REMEDIES]} |`,
    ),
  );
});

test('the site is built without a dead link, and is served, searched and read in both colour schemes without another origin', async () => {
  // VitePress fails on a link that leads nowhere.
  await run(process.execPath, [path.join(ROOT, 'scripts/front-door.mjs'), 'docs'], { cwd: ROOT });
  expect(existsSync(path.join(SITE, 'index.html'))).toBe(true);
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const foreign: string[] = [];
  const faults: string[] = [];
  page.on(
    'request',
    (request) => void (/^(data|blob):/.test(request.url()) || request.url().startsWith(replica.url) || foreign.push(request.url())),
  );
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  await page.goto(`${replica.url}/static/docs/`);
  await page.locator('.VPSidebar a', { hasText: /^Pacing$/ }).click();
  await page.locator('h1', { hasText: 'acing' }).waitFor();
  await page.locator('.VPNavBarSearch button').first().click();
  await page.locator('.search-input').fill('dead events');
  await page.locator('.result').first().waitFor();
  await page.keyboard.press('Escape');
  const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.locator('.VPNavBarAppearance button').click();
  expect(await background()).not.toBe(light);
  await page.setViewportSize({ width: 390, height: 800 });
  for (const name of ['lifecycle', 'api', 'operations', 'metrics', 'concepts/decision', 'concepts/ledger']) {
    await page.goto(`${replica.url}/static/docs/${name}.html`);
    expect([name, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([name, 390]);
    if (name.startsWith('concepts')) expect(await page.getByRole('img', { name: /^One / }).locator('text').count()).toBeGreaterThan(15);
  }
  expect([foreign, faults]).toEqual([[], []]);
  const linked = /https?:\/\/localhost:\d+\/\S*/g;
  await replica.logged(/Ctrl-C stops/);
  const printed = (replica.logs().match(linked) ?? []).map((address) => new URL(address).pathname).filter((at) => at !== '/ad');
  expect(printed).toContain('/static/demo/');
  expect(await deadLinks([...ENTRIES, ...printed, ...(await linksOfTool(page))])).toEqual([]);
});

const ENTRIES = ['/static/docs/', '/static/demo/', '/static/api/', '/static/admin.html'];
const SCREENS = [
  'overview',
  'account',
  'inbox',
  'timeline',
  'availability',
  'publishers',
  'publishers/1',
  'placements/article-top',
  'campaigns/1',
  'campaigns/1/book',
  'campaigns/new',
  'line_items/1',
  'creatives/1',
  'placements',
  'campaigns',
  'line_items',
  'creatives',
  'advertisers',
  'bidders',
  'targetings',
  'people',
  'people/new',
  'tokens/new',
  'roles',
  'roles/new',
  'test',
  'approvals',
  'complaints',
  'reports',
  'report_links',
  'finance',
  'alerts',
  'complaints',
  'files',
  'imports',
  'imports/new',
  'media_buys',
  'finance',
  'alerts',
  'history',
];

/** The first steps of their addresses. */
const ROOTS = SCREENS.map((screen) => screen.split('/')[0]);

/** The links of the trafficking tool that leave it. */
const linksOfTool = async (page: Page): Promise<readonly string[]> => {
  const links = new Set<string>();
  for (const screen of SCREENS) {
    await page.goto(`${replica.url}/static/admin.html#/${screen}`);
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('main .loading') === null);
    for (const link of await page.locator('a[href]').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))) {
      const { origin, pathname, search, hash } = new URL(link);
      if (origin === replica.url) links.add(pathname + search);
      // An unknown screen would open the overview.
      if (hash.startsWith('#/')) expect([link, ROOTS]).toEqual([link, expect.arrayContaining([hash.split(/[/?]/)[1]])]);
    }
  }
  return [...links];
};

/** Follows every link and address of the pages that the service serves, down to the headings of the documents. */
const deadLinks = async (entries: readonly string[]): Promise<readonly string[]> => {
  const dead: string[] = [];
  const ids = new Map<string, ReadonlySet<string>>();
  const fragments: { readonly from: string; readonly path: string; readonly id: string }[] = [];
  const queue = entries.map((to) => ({ from: '', to }));
  const seen = new Set(entries);
  for (const { from, to } of queue) {
    const answer = await fetch(replica.url + to);
    const text = await answer.text();
    const html = answer.headers.get('content-type')?.startsWith('text/html') ? text : '';
    if (answer.status !== 200) dead.push(`${answer.status} ${to}, of ${from}`);
    ids.set(to, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
    for (const [, address = ''] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const url = new URL(address.replaceAll('&amp;', '&'), replica.url + to);
      if (url.origin !== replica.url) continue;
      const id = decodeURIComponent(url.hash.slice(1));
      if (id !== '' && url.pathname.startsWith('/static/docs/')) fragments.push({ from: to, path: url.pathname, id });
      if (seen.has(url.pathname)) continue;
      seen.add(url.pathname);
      queue.push({ from: to, to: url.pathname });
    }
  }
  expect(seen.size).toBeGreaterThan(60);
  return [
    ...dead,
    ...fragments.filter(({ path: page, id }) => !ids.get(page)?.has(id)).map(({ from, path: page, id }) => `${page}#${id}, of ${from}`),
  ];
};
