import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type PageLook } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

declare const axe: { run: (context: object, options: object) => Promise<AxeResults> };

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let replica: Replica;
/** All screens, and a selection that together contains every component. */
let screens: readonly string[];
let rich: readonly string[];

beforeAll(async () => {
  [browser, [replica]] = (await Promise.all([startBrowser(), startReplicas(1)])) as unknown as [Browser, [Replica]];
  const api = apiOf(replica);
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  await api('POST', '/placements', { id: 'top', width: 728, height: 90, formats: ['html', 'native'], publisher_id: publisher.id });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Spring', ...FLIGHT, budget: 500 });
  const booked = { campaign_id: campaign.id, active: true, cpm: 2, ...FLIGHT };
  const item = await api('POST', '/line_items', { ...booked, name: 'Run of site', daily_impression_cap: 100, pacing: 'Even' });
  await api('POST', '/line_items', {
    ...booked,
    name: 'A line item with a name that goes on for longer than anybody would think',
    active: false,
  });
  const creative = await api('POST', '/creatives', {
    placement_id: 'top',
    line_item_id: item.id,
    format: 'native',
    content: '{"title":"Tea"}',
  });
  screens = [
    '#/overview',
    '#/timeline',
    '#/publishers',
    '#/line_items',
    `#/publishers/${publisher.id}`,
    '#/placements/top',
    `#/campaigns/${campaign.id}`,
    '#/campaigns/new',
    `#/line_items/${item.id}`,
    `#/line_items/${item.id}/edit`,
    `#/creatives/${creative.id}`,
    '#/test',
    '#/complaints',
    '#/reports',
    '#/finance',
    '#/alerts',
    '#/history',
  ];
  rich = [
    '#/overview',
    '#/timeline',
    '#/line_items',
    `#/line_items/${item.id}`,
    `#/line_items/${item.id}/edit`,
    `#/creatives/${creative.id}`,
    '#/test',
  ];
});
afterAll(() => browser?.close());

const LOOKS: readonly (readonly [string, PageLook])[] = [
  ['wide and light', { width: 1280, scheme: 'light' }],
  ['wide and dark', { width: 1280, scheme: 'dark' }],
  ['narrow and light', { width: 390, height: 844, scheme: 'light' }],
  ['narrow and dark', { width: 390, height: 844, scheme: 'dark' }],
];

test.each(LOOKS)('%s, no screen has a serious axe violation, overflows its width or requests other hosts', async (_, look) => {
  const admin = await openAdmin(browser, replica, look);
  await admin.go(screens[0]!);
  await admin.page.evaluate(AXE);
  for (const hash of look.scheme === 'dark' ? rich : screens) {
    await admin.turn(hash);
    await admin.page.waitForFunction(() => document.querySelector('.loading') === null);
    if (hash === '#/test') {
      await admin.page.getByRole('button', { name: 'Ask for an ad' }).click();
      await admin.page.getByRole('table').waitFor();
    }
    const found = await admin.page.evaluate(async () => {
      const { violations } = await axe.run({ exclude: ['iframe'] }, { iframes: false, resultTypes: ['violations'] });
      return {
        faults: violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html}`)),
        beyond: document.documentElement.scrollWidth - innerWidth,
      };
    });
    expect({ hash, ...found, beyond: Math.max(0, found.beyond) }).toEqual({ hash, faults: [], beyond: 0 });
  }
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test('a placement is created with the keyboard alone', async () => {
  const admin = await openAdmin(browser, replica);
  const { page } = admin;
  await admin.go('#/placements/new');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await page.keyboard.press('Tab');
  await page.keyboard.type('by-keyboard');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.type('300');
  await page.keyboard.press('Tab');
  await page.keyboard.type('250');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'by-keyboard' }).waitFor();
  expect(await apiOf(replica)('GET', '/placements/by-keyboard')).toMatchObject({ width: 300, height: 250, formats: ['banner'] });
  expect(admin.troubles).toEqual([]);
  await admin.close();
});
