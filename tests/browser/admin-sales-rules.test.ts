import type { Browser } from 'playwright-core';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type AdminPage, type Api } from './setup/start-admin.ts';
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

const save = () => admin.page.locator('.save-bar button[type=submit]').click();

const book = async () => {
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Boots', ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Boots, sport', active: true, cpm: 2, ...FLIGHT });
  return { publisher, item };
};

test('the form of a line item has the hours of a week, a share of voice and what is excluded', async () => {
  const { item } = await book();
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}/edit`);
  await page.getByRole('button', { name: 'All of Mon' }).click();
  await page.getByRole('button', { name: 'Mon 07:00' }).click();
  await page.getByRole('button', { name: 'Sat 20:00' }).click();
  await page.getByText('Mon 00:00–07:00; Mon 08:00–24:00; Sat 20:00–21:00').waitFor();
  await page.locator('.choice:has(input[name$="priority"][value="1"])').click();
  await page.locator('#field-share-of-voice').fill('30');
  await page.locator('#field-targeting-urls').fill('https://www.gazette.example/Sport/');
  await page.getByRole('heading', { name: 'Excluded' }).click();
  await page.locator('#field-targeting-exclude-audiences').fill('customers');
  await page.locator('#field-targeting-exclude-audiences').press('Enter');
  await save();
  await page.getByText('It gets 30 % of the requests that it could serve, before all others.').waitFor();
  await page.getByText('on pages of www.gazette.example/sport').waitFor();
  await page.getByText('not in the audience customers').waitFor();

  const stored = await api('GET', `/line_items/${item.id}`);
  expect(stored).toMatchObject({
    share_of_voice: 30,
    schedule: [
      { days: ['mon'], from: '00:00', to: '07:00' },
      { days: ['mon'], from: '08:00', to: '24:00' },
      { days: ['sat'], from: '20:00', to: '21:00' },
    ],
    targeting: { urls: ['www.gazette.example/sport'], exclude: { audiences: ['customers'] } },
  });
  await admin.go('#/history');
  await page.getByText('Mon 00:00–07:00; Mon 08:00–24:00; Sat 20:00–21:00').waitFor();
});

test('key-values are typed as ranges and prefixes, and shown as they were typed', async () => {
  const { item } = await book();
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}/edit`);
  await page.locator('#field-targeting-key-values-add').click();
  await page.getByLabel('Name 1').first().fill('years');
  await page.getByLabel('Values 1, separated by commas').first().fill('18..34, 65.., sport*, "a*"');
  await save();
  await page.getByText('years: a*, 18 to 34, 65 and more, sport…').or(page.getByText('years: 18 to 34, 65 and more, sport…, a*')).waitFor();
  const { targeting } = (await api('GET', `/line_items/${item.id}`)) as unknown as { targeting: { key_values: object } };
  expect(targeting.key_values).toEqual({ years: [{ min: 18, max: 34 }, { min: 65 }, { prefix: 'sport' }, 'a*'] });
  await admin.go(`#/line_items/${item.id}/edit`);
  expect(await page.getByLabel('Values 1, separated by commas').first().inputValue()).toBe('18..34, 65.., sport*, "a*"');
});

test('a targeting is a record of a publisher, and one that is used is not deleted', async () => {
  const { publisher, item } = await book();
  const { page } = admin;
  await admin.go(`#/targetings/new?publisher_id=${publisher.id}`);
  await page.locator('#field-name').fill('Sport, DACH');
  await page.locator('#field-targeting-urls').fill('gazette.example/sport');
  await save();
  await page.getByRole('heading', { level: 1, name: 'Sport, DACH' }).waitFor();
  const [targeting] = (await api('GET', `/targetings?publisher_id=${publisher.id}`)) as unknown as [{ id: number }];
  expect(targeting).toMatchObject({ name: 'Sport, DACH', targeting: { urls: ['gazette.example/sport'] } });
  await api('PATCH', `/line_items/${item.id}`, { targeting_id: targeting.id });
  await admin.go('#/targetings');
  await page.getByText('Sport, DACH').first().waitFor();
});
