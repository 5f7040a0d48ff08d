import type { Browser } from 'playwright-core';
import { looksWrong } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import type { AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startHouse, type House } from './setup/start-house.ts';

let browser: Browser;
let house: House;
let ann: AdminPage;
let ben: AdminPage;

const look = async ({ page }: AdminPage, name: string): Promise<void> => {
  await shootSchemes(page, name);
  expect(await looksWrong(page)).toEqual([]);
};
const heading = ({ page }: AdminPage, name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const item = () => `/line_items/${house.booked.lineItem}`;
const priceNow = async (): Promise<unknown> => (await house.machine('GET', item())).body.cpm;

beforeAll(async () => {
  browser = await startBrowser();
  house = await startHouse(browser);
  await house.machine('PATCH', `/publishers/${house.booked.publisher.id}`, {
    ...{ approval_price_below: 2, approval_of_priority_1: true, approval_of_closing: true, approval_of_unblocking: true },
  });
  await house.person('ann', ['trafficker', 'finance']);
  await house.person('ben', ['trafficker', 'approver']);
});
beforeEach(async () => {
  [ann, ben] = [await house.open('ann'), await house.open('ben')];
});
afterEach(() => {
  for (const { troubles } of [ann, ben]) expect(troubles).toEqual([]);
});

test('a save that needs a second person says why, is proposed with a note, and the record says that it waits', async () => {
  const { page } = ann;
  await ann.turn(`#${item()}/edit`);
  await page.locator('#field-cpm').fill('1.5');
  await page.getByLabel('Why, for the history').fill('Agreed with the customer');
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByText('Not saved: a second person must approve this').waitFor();
  await page
    .getByText(/is below 2 USD/)
    .first()
    .waitFor();
  await look(ann, 'approvals-refused');
  await page.getByRole('button', { name: 'Propose it …' }).click();
  const dialog = page.getByRole('dialog', { name: 'A second person must approve this' });
  expect(await dialog.getByLabel('Why, for who approves it').inputValue()).toBe('Agreed with the customer');
  await look(ann, 'approvals-propose');
  await dialog.getByRole('button', { name: 'Propose it' }).click();
  await heading(ann, 'Boots');
  await page.getByText('A change of this line item waits for a second person.').waitFor();
  await page.getByText(/You asked for it/).waitFor();
  await look(ann, 'approvals-record');
  expect(await priceNow()).toBe(2.5);
});

test('who may approve sees the count, the difference in words, and approves it; it is made then', async () => {
  const { page } = ben;
  await page.getByRole('link', { name: /^Approvals\s*1\s*waiting$/ }).click();
  await heading(ben, 'Approvals');
  await page.getByRole('table', { name: 'Waits for you' }).getByText('“Agreed with the customer”').waitFor();
  await look(ben, 'approvals-list');
  await page.getByRole('link', { name: 'Line item “Boots”' }).click();
  await heading(ben, 'Line item “Boots”');
  const row = page.getByRole('table').getByRole('row').filter({ hasText: 'CPM' });
  expect((await row.getByRole('cell').allInnerTexts()).slice(1)).toEqual(['$2.50', '$1.50']);
  expect(await page.getByRole('table').getByRole('row').count()).toBe(2);
  await look(ben, 'approvals-one');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByText('It is approved, and made.').waitFor();
  await page.getByText(/By ben@gazette.example on/).waitFor();
  expect(await priceNow()).toBe(1.5);
  await page.getByRole('link', { name: 'Approvals', exact: true }).first().waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
});

test('one that is sent back needs words, which who asked reads; one can be withdrawn', async () => {
  await ann.turn('#/creatives');
  await house.machine('POST', `/creatives/${house.booked.creative}/block`);
  await ann.turn('#/finance');
  const { page } = ann;
  await page.getByRole('button', { name: 'Close the month' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close the month' }).click();
  const dialog = page.getByRole('dialog', { name: 'A second person must approve this' });
  await dialog.getByText('Closing a month needs a second person.').waitFor();
  await dialog.getByRole('button', { name: 'Propose it' }).click();
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByRole('button', { name: 'Withdraw' }).waitFor();
  const title = await page.locator('h1').innerText();
  expect(title).toMatch(/^Close \w+ \d{4}$/);

  await ben.turn('#/approvals');
  await ben.page.getByRole('link', { name: title }).click();
  await ben.page.getByRole('button', { name: 'Send back' }).click();
  const words = ben.page.getByRole('dialog');
  await words.getByRole('button', { name: 'Send it back' }).click();
  await words.getByText('Say why, so that it can be corrected.').waitFor();
  await words.getByLabel('What should be different').fill('The fees are missing');
  await look(ben, 'approvals-words');
  await words.getByRole('button', { name: 'Send it back' }).click();
  await ben.page.getByText('“The fees are missing”').waitFor();

  await ann.turn('#/approvals');
  await page.getByRole('table', { name: 'Decided' }).getByRole('row').filter({ hasText: title }).getByText('sent back').waitFor();
  await page.getByRole('link', { name: title }).click();
  await page.getByText('“The fees are missing”').waitFor();
  await look(ann, 'approvals-sent-back');

  await ann.turn('#/line_items');
  const { body } = await house.machine('GET', item());
  expect(body.priority).not.toBe(1);
  await ann.turn(`#${item()}/edit`);
  await page.getByRole('radio', { name: /^High/ }).check();
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('button', { name: 'Propose it …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose it' }).click();
  await page.getByRole('link', { name: 'Look at it' }).click();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('It is withdrawn.').waitFor();
});

test('a comment mentions a colleague, who finds it in the inbox and takes it out', async () => {
  await ann.turn(`#${item()}`);
  const { page } = ann;
  await page.getByLabel('Comment', { exact: true }).fill('Please look at this, @be');
  await page.getByRole('button', { name: 'Mention Ben' }).click();
  expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('Please look at this, @Ben ');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('.comment-text').getByText('@Ben').waitFor();

  // Who has the same record open is said to both, the one who came first within seconds.
  await ben.turn(`#${item()}/edit`);
  await ben.page.getByRole('status').getByText('Ann').waitFor();
  await page.getByRole('status').getByText('Ben').waitFor();
  await look(ben, 'others-here');

  await ben.page.reload();
  await ben.page.getByRole('link', { name: /^Inbox\s*1\s*waiting$/ }).click();
  await heading(ben, 'Inbox');
  await ben.page.getByText('Please look at this, @Ben').waitFor();
  await look(ben, 'inbox');
  await ben.page.getByRole('button', { name: 'Done with the mention by ann@gazette.example' }).click();
  await ben.page.getByText('Nothing waits for you.').waitFor();
  await ben.page.locator('.waiting').first().waitFor({ state: 'detached' });
});
