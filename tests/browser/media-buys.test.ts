import knexOf, { type Knex } from 'knex';
import type { Browser } from 'playwright-core';
import { callSeller, purchase, SELLING, startSelling, type Seller } from '../agents/buyer-calls.ts';
import type { Json } from '../api/api-client.ts';
import { looksWrong } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import type { AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startHouse, type House } from './setup/start-house.ts';

let browser: Browser;
let house: House;
let knex: Knex;
let seller: Seller;
let ann: AdminPage;

const banner = { width: 300, height: 250, formats: ['banner'] };
const buys = async (state?: string): Promise<readonly Json[]> =>
  (await house.machine('GET', `/media_buys${state === undefined ? '' : `?state=${state}`}`)).body as readonly Json[];
const buyOf = async (id: number): Promise<Json> => (await buys()).find((one) => one.id === id);
/** Its number, from the task that the buyer gets. */
const bought = async (name: string, one: object = {}): Promise<number> => {
  const { value } = await callSeller(house.replica.url, seller.token, 'create_media_buy', purchase(one, { po_number: name }));
  return Number(/\d+$/.exec(value.task_id ?? value.media_buy_id)?.[0]);
};
const look = async (name: string): Promise<void> => {
  await shootSchemes(ann.page, name);
  expect(await looksWrong(ann.page)).toEqual([]);
};
const rowOf = (table: string, order: string) => ann.page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: order });
const decide = async (button: string, words?: string): Promise<void> => {
  await ann.page.getByRole('button', { name: button, exact: true }).click();
  const dialog = ann.page.getByRole('dialog');
  if (words !== undefined) await dialog.getByRole('textbox').fill(words);
  await dialog.getByRole('button', { name: button === 'Approve' ? 'Approve' : 'Send it back' }).click();
};

beforeAll(async () => {
  browser = await startBrowser();
  house = await startHouse(browser, SELLING);
  knex = knexOf({ client: 'pg', connection: house.databaseUrl });
  seller = await startSelling({ machine: house.machine, knex }, 'The Herald', [
    { id: 'display-top', ...banner },
    { id: 'display-side', ...banner },
  ]);
  await house.person('ann', ['trafficker', 'approver']);
});
beforeEach(async () => {
  ann = await house.open('ann');
});
afterEach(() => expect(ann.troubles).toEqual([]));
afterAll(() => knex.destroy());

test('what an agent buys waits in words, is booked when a person approves it, and says what its buyer has not sent', async () => {
  const { page } = ann;
  await ann.turn('#/media_buys');
  await page.getByText('No agent has bought anything yet.').waitFor();
  const id = await bought('PO-1', { budget: 80 });
  await page.getByRole('link', { name: 'Media buys', exact: true }).waitFor();
  await ann.turn('#/approvals');
  await ann.turn('#/media_buys');
  await rowOf('Waits for a person', 'PO-1').getByText('10,000 impressions, CPM $8.00').waitFor();
  await rowOf('Waits for a person', 'PO-1').getByText('waits for approval').waitFor();
  expect(await buyOf(id)).toMatchObject({ state: 'waiting', campaign_id: null, decided_by: null, waits_until: expect.any(String) });
  await rowOf('Waits for a person', 'PO-1').getByRole('link').first().click();
  await page.getByText('what agents buy needs a second person').waitFor();
  await look('media-buys-approval');
  await decide('Approve', 'With pleasure');
  await page.getByText('It is approved, and made.').waitFor();
  await ann.turn('#/media_buys');
  await rowOf('Booked', 'PO-1').getByText('without creatives').waitFor();
  expect(await buyOf(id)).toMatchObject({ state: 'pending_creatives', decided_by: 'ann@gazette.example', words: 'With pleasure' });
  await rowOf('Booked', 'PO-1').getByRole('link').first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(page.url()).toContain('#/campaigns/');
});

test('one that is refused books nothing; the screen and the buyer have the words', async () => {
  const { page } = ann;
  const id = await bought('PO-2');
  const { approval_id: approval } = await buyOf(id);
  await ann.turn(`#/approvals/${approval as number}`);
  await decide('Send back', 'Not in December');
  await page.getByText('“Not in December”').waitFor();
  await ann.turn('#/media_buys');
  await rowOf('Refused', 'PO-2').getByText('“Not in December”').waitFor();
  await rowOf('Refused', 'PO-2').getByText('by ann@gazette.example').waitFor();
  expect((await buys('refused')).map(({ order_number: order }) => order)).toEqual(['PO-2']);
  const { value } = await callSeller(house.replica.url, seller.token, 'tasks/get', { task_id: `media_buy_${id}` });
  expect([value.status, value.message]).toEqual(['rejected', 'Not in December']);
});

test('one that nobody decides on in time is refused, and cannot be approved', async () => {
  const id = await bought('PO-3');
  const { approval_id: approval } = await buyOf(id);
  await knex('approvals')
    .where({ id: approval as number })
    .update({ expires_at: new Date(0) });
  await ann.turn('#/media_buys');
  await rowOf('Refused', 'PO-3').getByText('not decided in time').waitFor();
  await ann.turn(`#/approvals/${approval as number}`);
  await ann.page.getByText('It was not decided in time.').waitFor();
  expect(await ann.page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
});

test('one whose placement has gone meanwhile is not booked: the approver reads why, and refuses it', async () => {
  const { page } = ann;
  const id = await bought('PO-4', { product_id: 'display-side' });
  const { approval_id: approval } = await buyOf(id);
  expect((await house.machine('DELETE', '/placements/display-side')).status).toBe(204);
  await ann.turn(`#/approvals/${approval as number}`);
  await decide('Approve');
  await page.getByText('It cannot be made any more').waitFor();
  await look('media-buys-gone');
  expect(await page.locator('.note.bad li').allInnerTexts()).toEqual([expect.stringMatching(/display-side/)]);
  expect(await buyOf(id)).toMatchObject({ state: 'waiting', campaign_id: null });
  await decide('Send back', 'The place is gone');
  await page.getByText('“The place is gone”').waitFor();
});

test('of two people who approve one, the first books it, and the other reads that it is decided', async () => {
  const id = await bought('PO-5', { budget: 160 });
  const { approval_id: approval } = await buyOf(id);
  await ann.turn('#/media_buys');
  await look('media-buys');
  await ann.turn(`#/approvals/${approval as number}`);
  // Another tab decides first.
  const other = await house.open('ann');
  await other.turn(`#/approvals/${approval as number}`);
  await other.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await other.page.getByText('It is approved, and made.').waitFor();
  await other.close();
  await decide('Approve');
  await ann.page.locator('.toast.bad').getByText('The proposal is not open any more.').waitFor();
  const [{ campaign_id: campaign }] = (await buys('booked')).filter((one) => one.id === id) as [Json];
  const items = (await house.machine('GET', `/line_items?campaign_id=${campaign as number}`)).body as readonly Json[];
  expect(items).toHaveLength(1);
});
