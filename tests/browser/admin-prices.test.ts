import type { Browser } from 'playwright-core';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type AdminPage, type Api } from './setup/start-admin.ts';
import { shootSchemes } from './setup/shoot.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let api: Api;
let admin: AdminPage;

beforeAll(async () => {
  [browser, [replica]] = (await Promise.all([startBrowser(), startReplicas(1)])) as unknown as [Browser, [Replica]];
  api = apiOf(replica);
});
beforeEach(async () => {
  admin = await openAdmin(browser, replica);
});
afterEach(async () => {
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

const save = async (): Promise<void> => {
  await admin.page.locator('.save-bar button[type=submit]').click();
  await admin.page
    .getByText(/was saved/)
    .last()
    .waitFor();
};
const choose = (field: string, value: string) => admin.page.locator(`.choice:has(input[name$="${field}"][value="${value}"])`).click();

const book = async (fields: object) => {
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Boots', ...FLIGHT });
  const item = await api('POST', '/line_items', {
    campaign_id: campaign.id,
    name: 'Boots, sport',
    active: true,
    cpm: 2,
    ...FLIGHT,
    ...fields,
  });
  return { publisher, item };
};

test('choosing a class sets what it decides, hides it, and keeps the rest open', async () => {
  const { item } = await book({});
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}/edit`);
  await choose('class', 'sponsorship');
  await page.locator('#field-share-of-voice').waitFor();
  expect(await page.locator('#field-share-of-voice').inputValue()).toBe('100');
  expect(await page.locator('input[name$="priority"]').count()).toBe(0);
  await shootSchemes(page, 'class-sponsorship');
  await choose('class', 'house');
  expect(await page.locator('#field-share-of-voice').count()).toBe(0);
  expect(await page.locator('input[name$="budget-type"]').count()).toBe(0);
  await save();
  await page.getByText('House: own ads, without price, after all others.').waitFor();
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({
    class: 'house',
    priority: 3,
    budget_type: 'Flat',
    share_of_voice: null,
  });
});

test('a list price of the rate card is offered, and the price follows from it and the discount', async () => {
  const { publisher, item } = await book({});
  const { page } = admin;
  await admin.go(`#/publishers/${publisher.id}`);
  await page.getByRole('button', { name: 'Add a price' }).click();
  await page.getByLabel('Price of price 1').fill('10');
  await page.getByLabel('Size of price 1').fill('970x250');
  await shootSchemes(page, 'rate-card');
  await save();
  await admin.go(`#/line_items/${item.id}/edit`);
  await page.getByRole('heading', { name: 'Rate card' }).waitFor();
  await page.getByRole('button', { name: 'Use $10.00 as the list price' }).click();
  await page.locator('#field-discount').fill('20');
  expect(await page.locator('#field-cpm').inputValue()).toBe('8');
  await shootSchemes(page, 'prices-item');
  await save();
  await page.getByText('$8.00 CPM, 20 % off $10.00').waitFor();
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ list_price: 10, discount: 20, cpm: 8 });
});

test('a line item that ended before its goal offers a make-good, which is linked to it', async () => {
  const { item } = await book({ start_date: '2026-01-01', end_date: '2026-01-31', goal_impressions: 500 });
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}`);
  await page.getByRole('button', { name: 'Make good what is missing' }).waitFor();
  await shootSchemes(page, 'make-good');
  await page.getByRole('button', { name: 'Make good what is missing' }).click();
  await page.getByText('It is paused: look at its dates, then resume it.').waitFor();
  await page.getByRole('link', { name: `It carries what line item #${item.id} did not deliver.` }).waitFor();
});
