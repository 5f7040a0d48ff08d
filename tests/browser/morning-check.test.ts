import type { Locator } from 'playwright-core';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { useAdmin } from './setup/use-admin.ts';

const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

let scarves = 0;
let gloves = 0;
const desk = useAdmin(async ({ api, databaseUrl }) => {
  const publisher = (await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' })).id;
  await api('POST', '/placements', { id: 'sidebar', publisher_id: publisher, width: 300, height: 250, formats: ['html'] });
  const flight = { start_date: day(1), end_date: day(20) };
  const { id: campaign } = await api('POST', '/campaigns', { publisher_id: publisher, name: 'Winter', ...flight });
  const book = async (name: string, cpm: number): Promise<number> => {
    const terms = { active: true, cpm, priority: 2, goal_impressions: 50_000, pacing: 'Even', placement_ids: ['sidebar'], ...flight };
    const { id } = await api('POST', '/line_items', { campaign_id: campaign, name, ...terms });
    await api('POST', '/creatives', { line_item_id: id, format: 'html', content: 'ad' });
    return id;
  };
  [scarves, gloves] = [await book('Scarves', 10), await book('Gloves', 4)];
  await book('Hats', 3);
  const remedy = { change: 'higher_priority', words: 'give it priority 1', p50: 47_500, fields: { priority: 1 } };
  const atRisk = [scarves, gloves].map((lineItemId) => ({ lineItemId, goal: 50_000, due: 50_000, expected: 30_000, remedy }));
  await withClient(databaseUrl, (client) =>
    client.query(`insert into forecast_bases (publisher_id, made_on, catalog_version, figures, at_risk) values ($1, $2, 1, '{}', $3)`, [
      publisher,
      day(0),
      JSON.stringify(atRisk),
    ]),
  );
});

const focused = (): Promise<string | null | undefined> => desk.admin.page.evaluate(() => document.activeElement?.textContent?.trim());
const press = (key: string): Promise<void> => desk.admin.page.keyboard.press(key);
const shownAt = (hash: string): Promise<void> => desk.admin.page.locator(`.screen[data-at=${JSON.stringify(hash)}]`).waitFor();
const tabTo = async (what: Locator, most: number): Promise<void> => {
  const has = () => what.evaluate((element) => element === document.activeElement);
  for (let i = 0; i < most && !(await has()); i++) await press('Tab');
  expect(await has()).toBe(true);
};

test('a morning check with the keyboard alone: what is at risk is remedied in place and taken back, a record is looked at, one is paused, another found', async () => {
  const { admin, api } = desk;
  const { page } = admin;
  const item = (id: number) => api('GET', `/line_items/${id}`);
  // What needs attention is remembered for ten seconds.
  await eventually(async () => {
    await admin.go('#/overview');
    expect(await page.locator('.needs-money li').count()).toBe(2);
  });

  // What is most at risk is first. What helps is done from its row, and undone.
  await press('j');
  expect(await focused()).toBe('Scarves');
  await press('h');
  expect(await focused()).toBe('Give it priority 1: 47,500');
  await press('Enter');
  await page.locator('.toast', { hasText: 'Give it priority 1: done.' }).waitFor();
  expect(await item(scarves)).toMatchObject({ priority: 1 });
  await press('u');
  await page.locator('.toast', { hasText: 'It is as before.' }).waitFor();
  expect(await item(scarves)).toMatchObject({ priority: 2 });

  // The next row is opened, and the way back goes on after it.
  await press('j');
  expect(await focused()).toBe('Gloves');
  await press('Enter');
  await shownAt(`#/line_items/${gloves}`);
  expect(await focused()).toBe('Gloves');
  await tabTo(page.getByRole('button', { name: 'Pause' }), 1);
  await press('Enter');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await item(gloves)).toMatchObject({ active: false });
  // By the key of the browser, which a browser without a window does not have.
  await page.goBack();
  await shownAt('#/overview');
  await page.locator('.needs-money li').first().waitFor();
  await press('k');
  expect(await focused()).toBe('Scarves');

  await press('/');
  await page.keyboard.type('Hats');
  await page.getByRole('option', { name: 'Hats line item' }).waitFor();
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Hats' }).waitFor();
});
