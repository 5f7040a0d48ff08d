import type { Browser, Page } from 'playwright-core';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type AdminPage, type PageLook } from './setup/start-admin.ts';
import { beyondOf, loadAxe, outsideOf, violationsOf } from './setup/faults-of-page.ts';
import { startBrowser } from './setup/start-browser.ts';

const KINDS = ['publishers', 'placements', 'advertisers', 'bidders', 'targetings', 'campaigns', 'line_items', 'creatives'];

let browser: Browser;
let replica: Replica;
/** All screens. */
let screens: readonly string[];

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
  const advertiser = await api('POST', '/advertisers', {
    name: 'Boots of the North, outdoor equipment and expeditions',
    labels: ['outdoor'],
  });
  const bidder = await api('POST', '/bidders', { name: 'An exchange', endpoint: 'https://exchange.example/openrtb2/auction' });
  const programmatic = await api('POST', '/line_items', {
    ...{ campaign_id: campaign.id, name: 'Open market', active: true, type: 'programmatic', bidder_id: bidder.id, floor: 1, ...FLIGHT },
  });
  screens = [
    ...['overview', 'timeline', 'reports', 'finance', ...KINDS, 'files', 'test', 'alerts', 'complaints', 'history'],
    ...['people', 'people/new', 'people/999999', 'tokens/new', 'account'],
    ...KINDS.map((kind) => `${kind}/new`),
    ...[`publishers/${publisher.id}`, 'placements/top', `advertisers/${advertiser.id}`, `bidders/${bidder.id}`],
    ...[`campaigns/${campaign.id}`, `line_items/${item.id}`, `creatives/${creative.id}`],
    ...[`advertisers/${advertiser.id}/edit`, `campaigns/${campaign.id}/edit`, `line_items/${item.id}/edit`],
    ...[`line_items/${programmatic.id}/edit`, 'advertisers?archived=1', 'line_items?q=nothing', 'campaigns/999999', 'publishers/999999'],
  ].map((path) => `#/${path}`);
});

const SCHEMES = ['light', 'dark'] as const;

/** The width of the window, and a second one at which nothing may scroll sideways. */
const WIDTHS: readonly (readonly [string, Required<Pick<PageLook, 'width' | 'height'>>, number])[] = [
  ['wide', { width: 1280, height: 900 }, 1440],
  ['narrow', { width: 390, height: 844 }, 768],
];

/** What is open on a screen only after a click. */
const OPENED: readonly (readonly [hash: string, open: (page: Page) => Promise<void>])[] = [
  ['#/line_items', async (page) => page.locator('td.check input').first().check()],
  [
    '#/line_items',
    async (page) => {
      await page.locator('[data-in-place$="-cpm"]').first().click();
      await page.locator('.in-place-field').fill('much');
      await page.locator('.in-place-field').press('Enter');
      await page.locator('.in-place-fault').waitFor();
    },
  ],
  ['#/campaigns', async (page) => page.locator('[data-in-place$="-end_date"]').first().click()],
  ['#/campaigns', async (page) => page.locator('.row-menu summary').first().click()],
  [
    '#/line_items',
    async (page) => {
      await page.locator('.row-menu summary').first().click();
      await page.getByRole('button', { name: /^Quick edit/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  ['#/line_items', async (page) => page.locator('.filter-chip summary').last().click()],
  // A phone shows rows as cards, which have no columns.
  [
    '#/line_items',
    async (page) => {
      const columns = page.locator('summary', { hasText: 'Columns' });
      if (await columns.isVisible()) await columns.click();
    },
  ],
  ['#/campaigns', async (page) => page.keyboard.press('Control+k')],
  [
    '#/line_items',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  ],
  ['#/campaigns/new', async (page) => page.locator('#field-campaign-fields-advertiser-id').press('ArrowDown')],
  ['#/reports', async (page) => page.getByRole('button', { name: 'Share', exact: true }).click()],
  ['#/reports', async (page) => page.getByRole('button', { name: 'Raw events' }).click()],
  ['#/alerts', async (page) => page.getByRole('button', { name: 'Send them to…' }).click()],
];

/** Resolves when the page shows what it has read last. */
const settled = (page: Page) => page.waitForFunction(() => document.querySelector('.loading, .stale') === null);

/**
 * Looks at each screen, and at what opens on it after a click.
 * @param look returns what is wrong with the page as it is
 * @returns the screens with something wrong
 */
const walk = async (admin: AdminPage, look: (page: Page) => Promise<Readonly<Record<string, readonly string[]>>>): Promise<object[]> => {
  const { page } = admin;
  const found: object[] = [];
  const lookAt = async (hash: string, opened?: number): Promise<void> => {
    const wrong = await look(page);
    if (Object.values(wrong).some(({ length }) => length > 0)) found.push({ hash, opened, ...wrong });
  };
  await admin.go(screens[0]!);
  await loadAxe(page);
  for (const hash of screens) {
    await admin.turn(hash);
    await settled(page);
    if (hash === '#/test') {
      await page.getByRole('button', { name: 'Ask for an ad' }).click();
      await page.getByRole('table').waitFor();
    }
    await lookAt(hash);
  }
  for (const [opened, [hash, open]] of OPENED.entries()) {
    await admin.go(hash);
    await settled(page);
    await loadAxe(page);
    await open(page);
    await lookAt(hash, opened);
    await page.keyboard.press('Escape');
  }
  return found;
};

const sidewaysOf = async (page: Page) => ({ beyond: await beyondOf(page), outside: await outsideOf(page) });

/** The same at another width: the styles alone decide on the layout, so the screen need not be loaded for it. */
const sidewaysAt = async (page: Page, { width, height }: Required<Pick<PageLook, 'width' | 'height'>>) => {
  const before = page.viewportSize()!;
  await page.setViewportSize({ width, height });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  const found = await sidewaysOf(page);
  await page.setViewportSize(before);
  return found;
};

test.each(WIDTHS)(
  '%s, light and dark, no screen has a serious axe violation or requests other hosts; there and at a second width none scrolls sideways or has a control beyond the window',
  async (_, look, secondWidth) => {
    const admin = await openAdmin(browser, replica, { ...look, scheme: SCHEMES[0] });
    const found = await walk(admin, async (page) => {
      const light = await violationsOf(page);
      const ofLight = await sidewaysOf(page);
      // The same elements in other colours: dark is another set of variables, and the charts are drawn again.
      await page.emulateMedia({ colorScheme: SCHEMES[1] });
      const dark = await violationsOf(page, 'colours');
      const ofDark = await sidewaysOf(page);
      await page.emulateMedia({ colorScheme: SCHEMES[0] });
      const second = await sidewaysAt(page, { width: secondWidth, height: 900 });
      const all = [ofLight, ofDark, second];
      return { light, dark, beyond: all.flatMap(({ beyond }) => beyond), outside: all.flatMap(({ outside }) => outside) };
    });
    expect(found).toEqual([]);
    expect(admin.troubles).toEqual([]);
    await admin.close();
  },
);

test.each(WIDTHS)('%s, light and dark, the page of the API has no serious axe violation', async (_, look) => {
  const admin = await openAdmin(browser, replica, { ...look, scheme: SCHEMES[0] });
  const { page } = admin;
  await page.goto(`${replica.url}/static/api/`);
  await page.locator('.opblock').first().waitFor();
  await loadAxe(page);
  const light = { faults: await violationsOf(page), beyond: await beyondOf(page) };
  await page.emulateMedia({ colorScheme: SCHEMES[1] });
  const dark = { faults: await violationsOf(page, 'colours'), beyond: await beyondOf(page) };
  expect({ light, dark }).toEqual({ light: { faults: [], beyond: [] }, dark: { faults: [], beyond: [] } });
  await admin.close();
});

/** The longest motion of a page, in milliseconds. */
const longestMotion = (page: Page) =>
  page.evaluate(() => {
    const msOf = (text: string): number =>
      Math.max(...text.split(',').map((one) => parseFloat(one) * (one.trim().endsWith('ms') ? 1 : 1000)));
    const motions = [...document.querySelectorAll('*')].map((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      return Math.max(msOf(transitionDuration), msOf(animationDuration));
    });
    return Math.max(...motions);
  });

test('motion ends within 150 ms, and there is none for people who prefer none', async () => {
  const admin = await openAdmin(browser, replica);
  const { page } = admin;
  for (const hash of ['#/overview', '#/line_items', '#/campaigns/new', '#/reports']) {
    await admin.go(hash);
    await settled(page);
    expect(await longestMotion(page)).toBeLessThanOrEqual(1);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await longestMotion(page)).toBeLessThanOrEqual(150);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  }
  await admin.close();
});

test('a phone can install the page: its manifest and its icon are read without a fault', async () => {
  const admin = await openAdmin(browser, replica, { width: 390, height: 844 });
  await admin.go('#/overview');
  const session = await admin.page.context().newCDPSession(admin.page);
  const { url, errors, data = '{}' } = await session.send('Page.getAppManifest');
  expect({ url, errors }).toEqual({ url: `${replica.url}/static/admin.webmanifest`, errors: [] });
  const { icons } = JSON.parse(data) as { readonly icons: readonly { readonly src: string; readonly type: string }[] };
  for (const { src, type } of icons) {
    const answer = await fetch(new URL(src, url));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  }
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test('a list stays as it is laid out while it is read again', async () => {
  const admin = await openAdmin(browser, replica);
  const { page } = admin;
  await admin.go('#/line_items');
  await settled(page);
  const total = page.getByRole('row', { name: /^Total/ });
  await total.waitFor();
  const box = () => page.getByRole('table').boundingBox();
  const before = await box();
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/line_items?**', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').click();
  await page.locator('.stale').waitFor();
  expect(await box()).toEqual(before);
  // The sums of a list do not depend on its order: their line stays until they are read again.
  await page.route('**/api/sums/**', () => undefined);
  answer();
  await settled(page);
  expect(await total.isVisible()).toBe(true);
  expect(await box()).toEqual(before);
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
