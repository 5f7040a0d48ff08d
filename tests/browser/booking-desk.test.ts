import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { png } from '../../testkit/png.ts';
import { html5Ad } from '../uploads/sample-files.ts';
import { openAdmin } from './setup/start-admin.ts';
import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { shoot, shootSchemes } from './setup/shoot.ts';
import { useAdmin } from './setup/use-admin.ts';

let publisher = 0;
const desk = useAdmin(async ({ api }) => {
  publisher = (await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' })).id;
  for (const [id, width, height] of [
    ['article-top', 728, 90],
    ['sidebar', 300, 250],
    ['tall', 300, 600],
  ] as const)
    await api('POST', '/placements', { id, publisher_id: publisher, width, height, formats: ['html', 'banner'] });
});

const MAX_KEYS_AND_CLICKS = 40;
const MAX_SECONDS = 90;
/** Of a person who types well: 60 words a minute. */
const KEY_MS = 100;

/** What a person does at the page, counted: what is typed as a value is not, every other key and click is. */
const aPerson = () => {
  const { page } = desk.admin;
  let acts = 0;
  return {
    acts: () => acts,
    type: (text: string) => page.keyboard.type(text, { delay: KEY_MS }),
    press: async (key: string, times = 1) => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key);
      acts += times;
    },
    click: async (what: Locator) => {
      await what.click();
      acts++;
    },
    drop: async (files: readonly (readonly [name: string, bytes: Buffer])[]) => {
      const dropped = files.map(([name, bytes]) => [name, bytes.toString('base64')] as const);
      await page.locator('.desk').evaluate((element, given) => {
        const data = new DataTransfer();
        for (const [name, text] of given) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
      }, dropped);
      acts++;
    },
  };
};

const group = (label: string) => desk.admin.page.locator('.desk-group-head', { hasText: label }).first();
type Record = Readonly<{ [name: string]: never }>;
const listed = (path: string) => desk.api('GET', path) as unknown as Promise<Record[]>;

test('the e-mail of a seller becomes a live campaign in 90 seconds, with at most 40 keys and clicks beyond what is typed', async () => {
  const { page } = desk.admin;
  const person = aPerson();
  await desk.admin.go('#/campaigns');
  const began = Date.now();
  await person.click(page.getByRole('button', { name: 'Add a campaign' }).first());
  await page.waitForFunction(() => document.activeElement?.id === 'field-campaign-fields-advertiser-id');
  await person.type('Acme');
  await page.getByRole('option', { name: 'Create “Acme”' }).waitFor();
  await person.press('Enter');
  await person.press('Tab', 2);
  await person.type('12012098');
  await person.press('Tab', 3);
  await person.type('12212098');

  await person.click(group('Where'));
  await page.locator('.desk-group.open').waitFor();
  await person.press('Space');
  await person.press('Tab');
  await person.press('Space');
  await person.click(group('Who'));
  await person.press('Space');
  await person.press('Tab', 3);
  await person.type('US,Canada');
  await person.press('Enter');
  await person.click(group('How much'));
  await person.type('300,000');
  await person.press('Tab');
  await person.type('9');
  await person.click(group('How fast'));
  await person.type('3');
  await person.drop([
    ['boots wide.png', png(728, 90)],
    ['boots box.png', png(300, 250)],
    ['boots rich.zip', html5Ad()],
  ]);
  await page.locator('.desk-creative').nth(2).waitFor();
  await page.getByText('Nothing keeps it from serving.').waitFor();
  expect(await page.locator('.desk-cost').innerText()).toBe('$2,700.00');
  await shootSchemes(page, 'booking-desk');
  await person.press('Control+Enter');
  await page.getByRole('heading', { level: 1, name: 'Acme, December 2098' }).waitFor();
  const seconds = (Date.now() - began) / 1000;
  process.stdout.write(`The booking took ${person.acts()} keys and clicks beyond what was typed, and ${seconds.toFixed(1)} s.\n`);
  expect(person.acts()).toBeLessThanOrEqual(MAX_KEYS_AND_CLICKS);
  expect(seconds).toBeLessThanOrEqual(MAX_SECONDS);

  const [campaign] = await listed('/campaigns?q=Acme');
  expect(campaign).toMatchObject({ active: true, start_date: '2098-12-01', end_date: '2098-12-21', publisher_id: publisher });
  const [item] = await listed(`/line_items?campaign_id=${campaign!['id']}`);
  expect(item).toMatchObject({
    ...{ active: true, budget_type: 'CPM', cpm: 9, goal_impressions: 300_000, pacing: 'Even', frequency_cap: 3, frequency_window: 86_400 },
    ...{ placement_ids: ['article-top', 'sidebar'], start_date: '2098-12-01', end_date: '2098-12-21' },
    targeting: { devices: ['mobile'], countries: ['US', 'CA'] },
  });
  const creatives = await listed(`/creatives?line_item_id=${item!['id']}`);
  expect(creatives.map(({ name, format, placement_ids: on, status }) => [name, format, on, status])).toEqual([
    ['boots wide', 'banner', ['article-top'], 'approved'],
    ['boots box', 'banner', ['sidebar'], 'approved'],
    ['boots rich', 'html', ['sidebar'], 'approved'],
  ]);
});

test('a campaign is booked with the keyboard alone, and what keeps it from serving leads to its field', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/campaigns/new');
  await page.waitForFunction(() => document.activeElement?.id === 'field-campaign-fields-advertiser-id');
  const tabTo = async (what: Locator) => {
    for (let i = 0; i < 60 && !(await what.evaluate((element) => element === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    expect(await what.evaluate((element) => element === document.activeElement)).toBe(true);
  };
  await page.keyboard.press('Tab');
  await page.keyboard.type('By keys');
  await tabTo(group('Where'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  expect(await group('Where').evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await group('Where').innerText()).toContain('article-top');
  await page.getByRole('button', { name: 'Price per thousand (CPM) is required' }).waitFor();
  await tabTo(page.getByRole('button', { name: 'Price per thousand (CPM) is required' }));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'field-line-items-0-fields-goal-impressions');
  await page.keyboard.press('Tab');
  await page.keyboard.type('4.20');
  await page.getByText('it has no creative').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { level: 1, name: 'By keys' }).waitFor();
  expect(await listed('/line_items?q=')).toContainEqual(expect.objectContaining({ cpm: 4.2, placement_ids: ['article-top'] }));
});

test('ten dropped files are matched by size, at twice the density too; one without a place is named, as is a size without a file', async () => {
  const { page } = desk.admin;
  const person = aPerson();
  await desk.admin.go('#/campaigns/new');
  await group('Where').click();
  await page.getByLabel('article-top (728 × 90)').check();
  await page.getByLabel('sidebar (300 × 250)').check();
  await page.getByLabel('tall (300 × 600)').check();
  await person.drop([
    ...[1, 2, 3].map((n) => [`wide ${n}.png`, png(728, 90, [n, 9, 9])] as const),
    ...[1, 2, 3].map((n) => [`sharp ${n}.png`, png(600, 500, [n, 9, 9])] as const),
    ...[1, 2].map((n) => [`box ${n}.png`, png(300, 250, [n, 99, 9])] as const),
    ['huge.png', png(970, 250)],
    ['notes.txt', Buffer.from('no picture')],
  ]);
  await page.locator('.desk-creative').nth(8).waitFor();
  const cards = await page.locator('.desk-creative').allInnerTexts();
  const shown = cards.map((text) => text.replaceAll(/\s+/g, ' ').replace(' ×', ' ×'));
  expect(shown.filter((text) => text.includes('728 × 90 · article-top'))).toHaveLength(3);
  expect(shown.filter((text) => text.includes('300 × 250 · sidebar'))).toHaveLength(5);
  await page
    .getByText(/huge: 970×250 does not fit/)
    .first()
    .waitFor();
  await page.getByText('Missing: 300 × 600 for tall').waitFor();
  expect(await page.locator('.desk-uploads').innerText()).toContain('notes.txt');
  await page.getByRole('button', { name: 'Remove huge' }).click();
  await page
    .getByText(/huge: 970×250 does not fit/)
    .first()
    .waitFor({ state: 'detached' });
});

test('a table from a spreadsheet becomes line items', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/campaigns/new');
  await page.locator('.desk').waitFor();
  const table = [
    'Line item\tPlacements\tImpressions\tCPM (USD)\tCountry\tDevice\tStart\tEnd',
    'Top\tarticle-top\t120,000\t$4.50\tGermany\tPhone\t01.12.2098\t21.12.2098',
    'Side\tsidebar, tall\t80 000\t3\tUS / Canada\tDesktop\t2098-12-01\t2098-12-10',
  ].join('\n');
  await page.locator('.desk').evaluate((element, text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, table);
  await page.getByText('2 line items of the table were added.').waitFor();
  const rows = await page.locator('.desk-item').allInnerTexts();
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain('120,000 impressions at $4.50 CPM');
  expect(rows[1]).toMatch(/sidebar and tall · in United States, Canada, on Desktop/);
  expect(await page.locator('.desk-cost b').innerText()).toBe('$780.00');
});

test('leaving loses nothing: a new booking is kept and gone on with, a template begins another', async () => {
  const { page, go, turn } = desk.admin;
  await go('#/campaigns/new');
  await page.locator('#field-campaign-fields-name').fill('Half done');
  await page.getByText(/Draft kept/).waitFor();
  await page.getByRole('button', { name: 'Keep as a template' }).click();
  await page.getByText(/is kept as a template/).waitFor();
  await turn('#/campaigns');
  await turn('#/campaigns/new');
  await page.getByRole('link', { name: 'Half done' }).click();
  await eventually(async () => expect(await page.locator('#field-campaign-fields-name').inputValue()).toBe('Half done'));
  await page.getByText(/^Your draft of/).waitFor();
  await page.reload();
  await eventually(async () => expect(await page.locator('#field-campaign-fields-name').inputValue()).toBe('Half done'));
  await page.getByRole('button', { name: 'Start over' }).click();
  await eventually(async () => expect(await page.locator('#field-campaign-fields-name').inputValue()).toBe(''));
  await page.getByLabel('Begin from').selectOption({ index: 1 });
  await eventually(async () => expect(await page.locator('#field-campaign-fields-name').inputValue()).toBe('Half done'));
});

test('of two people on one campaign both keep what they change, and the second to change one price is told', async () => {
  const { api, admin, browser, replica } = desk;
  const flight = { start_date: '2020-01-01', end_date: '2099-01-01' };
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher, name: 'Shared', ...flight });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Both', active: true, cpm: 2, ...flight });
  const other = await openAdmin(browser, replica);
  for (const one of [admin, other]) {
    await one.go(`#/campaigns/${campaign.id}/book`);
    await one.page.locator('.desk-group-head', { hasText: 'How much' }).click();
  }
  const price = (page: typeof admin.page) => page.locator('#field-line-items-0-fields-cpm');
  await admin.page.locator('#field-campaign-fields-order-number').fill('PO-9');
  await admin.page.getByRole('button', { name: 'Save' }).click();
  await admin.page.getByText('“Shared” is booked.').waitFor();
  await price(other.page).fill('5');
  await other.page.getByRole('button', { name: 'Save' }).click();
  await other.page.getByText('“Shared” is booked.').waitFor();
  expect(await api('GET', `/campaigns/${campaign.id}`)).toMatchObject({ order_number: 'PO-9' });
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ cpm: 5 });

  await other.go(`#/campaigns/${campaign.id}/book`);
  await other.page.locator('.desk-group-head', { hasText: 'How much' }).click();
  await price(other.page).fill('6');
  await api('PATCH', `/line_items/${item.id}`, { cpm: 7 });
  await other.page.getByRole('button', { name: 'Save' }).click();
  await other.page
    .getByText(/was changed meanwhile, and is 7 now/)
    .first()
    .waitFor();
  expect(other.troubles).toEqual([]);
  await other.close();
});

test.each([1440, 768, 390])('the booking screen at %i px has no fault of accessibility, and nothing beyond its window', async (width) => {
  const { browser, replica } = desk;
  for (const scheme of ['light', 'dark'] as const) {
    const looked = await openAdmin(browser, replica, { width, scheme });
    await looked.go('#/campaigns/new');
    for (const label of ['What', 'Where', 'When', 'Who', 'How much', 'How fast'])
      await looked.page.locator('.desk-group-head', { hasText: label }).first().click();
    await loadAxe(looked.page);
    expect(await violationsOf(looked.page)).toEqual([]);
    expect(await beyondOf(looked.page)).toEqual([]);
    await shoot(looked.page, `desk-open-${width}-${scheme}`);
    await looked.close();
  }
});

const MAX_FIRST_PAINT_KB = 150;

test('what the first screen loads is at most 150 kB, compressed', async () => {
  const page = await desk.browser.newPage();
  const loaded: string[] = [];
  page.on('response', (response) => void (/\.(js|css)$/.test(new URL(response.url()).pathname) && loaded.push(response.url())));
  await page.goto(`${desk.replica.url}/static/admin.html#/overview`);
  await page.locator('main h1').waitFor();
  const sizes = await Promise.all(loaded.map(async (url) => gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length));
  const kb = sizes.reduce((sum, size) => sum + size, 0) / 1000;
  process.stdout.write(`The first screen loads ${kb.toFixed(1)} kB of scripts and styles.\n`);
  expect(loaded.some((url) => url.endsWith('/admin.js'))).toBe(true);
  expect(loaded.some((url) => url.includes('booking-view'))).toBe(false);
  expect(kb).toBeLessThanOrEqual(MAX_FIRST_PAINT_KB);
});
