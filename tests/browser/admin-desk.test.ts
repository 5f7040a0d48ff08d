import { withClient } from '../../testkit/databases.ts';
import { shootWidths } from './setup/shoot.ts';
import { FLIGHT } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

let campaign: number;

const desk = useAdmin(async ({ api }) => {
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  await api('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  campaign = (await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Spring', ...FLIGHT })).id;
});

const field = (pointer: string) => desk.admin.page.locator(`#field${pointer.replace(/[^a-zA-Z0-9]/g, '-')}`);
const save = () => desk.admin.page.locator('.save-bar button[type=submit]').click();

const bookItem = async (name: string, more: object = {}, creative: object = {}): Promise<number> => {
  const { id } = await desk.api('POST', '/line_items', { campaign_id: campaign, name, active: true, cpm: 2, ...FLIGHT, ...more });
  await desk.api('POST', '/creatives', { placement_id: 'top', line_item_id: id, format: 'html', content: name, ...creative });
  return id;
};

test('a line item says why it lost its impressions, and one click gives it what it lacked', async () => {
  const { page } = desk.admin;
  const sponsor = await bookItem('Sponsor', { priority: 1, cpm: 8 });
  const item = await bookItem('Lost', { priority: 2, cpm: 5, frequency_cap: 2 });
  const hour = new Date(Date.now() - (Date.now() % 3_600_000)).toISOString();
  await withClient(desk.databaseUrl, (client) =>
    client.query(
      'insert into refusals (line_item_id, hour, reason, outranked_by, impressions) values ($1, $2, 0, $3, 82), ($1, $2, 9, 0, 18)',
      [item, hour, sponsor],
    ),
  );
  await desk.admin.go(`#/line_items/${item}`);
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Lost today' }) });
  await card.getByText('82% outranked').waitFor();
  await card.getByText('18% frequency cap').waitFor();
  expect(await card.getByRole('link', { name: 'Sponsor' }).getAttribute('href')).toBe(`#/line_items/${sponsor}`);
  await card.getByRole('button', { name: 'Set the priority to High and raise the price to $8.01 CPM' }).click();
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.locator('.toast', { hasText: 'done' }).waitFor();
  expect(await desk.api('GET', `/line_items/${item}`)).toMatchObject({ priority: 1, cpm: 8.01 });
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It is as before.').waitFor();
  expect(await desk.api('GET', `/line_items/${item}`)).toMatchObject({ priority: 2, cpm: 5 });
});

test('lists and pages show the same status, and a creative that fits nowhere says so when it is saved', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Too wide', {}, { width: 728, height: 90 });
  await desk.admin.go('#/line_items');
  const row = page.locator('tr', { hasText: 'Too wide' });
  await row.locator('.pill', { hasText: 'cannot serve' }).waitFor();
  await desk.admin.turn(`#/line_items/${item}`);
  await page.locator('.status-line .pill', { hasText: 'cannot serve' }).waitFor();
  await page.locator('.status-line', { hasText: '728×90 does not fit placement top of 300×250' }).waitFor();

  const fits = await bookItem('Half wide');
  await desk.admin.turn(`#/creatives/new?line_item_id=${fits}&placement_id=top`);
  await field('/content').fill('<b>wide</b>');
  await field('/width').fill('728');
  await field('/height').fill('90');
  await save();
  await page.locator('.toast', { hasText: 'It cannot serve: 728×90 does not fit placement top of 300×250.' }).waitFor();
  await desk.admin.turn('#/creatives');
  await page.locator('tr', { hasText: 'Too wide' }).locator('.pill', { hasText: 'cannot serve' }).waitFor();
});

test('two people edit one line item: different fields are merged, and equal ones are asked about', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Shared');
  await desk.admin.go(`#/line_items/${item}/edit`);
  await field('/name').fill('Mine');
  await desk.api('PATCH', `/line_items/${item}`, { daily_impression_cap: 700 });
  await save();
  await page.getByText('changed Daily impressions meanwhile. Both changes are kept.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
  expect(await desk.api('GET', `/line_items/${item}`)).toMatchObject({ name: 'Mine', daily_impression_cap: 700 });

  await desk.admin.go(`#/line_items/${item}/edit`);
  await field('/cpm').fill('3');
  await field('/name').fill('Mine again');
  await field('/budget').fill('50');
  await desk.api('PATCH', `/line_items/${item}`, { cpm: 4, name: 'Theirs', frequency_cap: 9 });
  await save();
  const note = page.locator('.conflict');
  await note.getByText('while you were editing it').waitFor();
  const choices = async (label: string) => (await note.getByRole('group', { name: label }).innerText()).replace(/\s+/g, ' ');
  expect(await choices('Name')).toBe('Name Yours: Mine again Theirs: Theirs');
  expect(await choices('Price per thousand (CPM)')).toBe('Price per thousand (CPM) Yours: 3 Theirs: 4');
  await note.getByText('Also changed by them, and kept:').waitFor();
  expect(await field('/budget').inputValue()).toBe('50');
  await note.getByRole('group', { name: 'Price per thousand (CPM)' }).getByText('Theirs').click();
  expect(await field('/cpm').inputValue()).toBe('4');
  await save();
  await page.getByRole('heading', { level: 1, name: 'Mine again' }).waitFor();
  expect(await desk.api('GET', `/line_items/${item}`)).toMatchObject({ name: 'Mine again', cpm: 4, budget: 50, frequency_cap: 9 });
});

test('a number that is none is named with its label, its value and an example', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Words');
  await desk.admin.go(`#/line_items/${item}/edit`);
  await field('/budget').fill('1,500.00');
  await save();
  await page.getByRole('alert').getByText('Total budget: “1,500.00” is not a number. Write one such as 1500.00').waitFor();
});

test('people leave comments on a campaign, with who and when', async () => {
  const { page } = desk.admin;
  await desk.admin.go(`#/campaigns/${campaign}`);
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Comments' }) });
  await card.getByLabel('Comment', { exact: true }).fill('Weekdays only, says the client.');
  await card.getByRole('button', { name: 'Add' }).click();
  await card.getByText('Weekdays only, says the client.').waitFor();
  await card.getByText('anonymous').waitFor();
  await page.reload();
  await card.getByText('Weekdays only, says the client.').waitFor();
  await card.getByRole('button', { name: 'Delete the comment' }).click();
  await card.getByText('Weekdays only').waitFor({ state: 'detached' });
});

test('many line items are changed at once, all or none, with a way back', async () => {
  const { page } = desk.admin;
  const ids = [await bookItem('Bulk one', { cpm: 1 }), await bookItem('Bulk two', { cpm: 2 })];
  await desk.admin.go('#/line_items?q=bulk');
  await page.getByText('2 line items').waitFor();
  for (const name of ['Bulk one', 'Bulk two']) await page.getByLabel(`Choose ${name}`).check();
  await page.getByLabel('Price per thousand (CPM)').fill('7.50');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByText('2 line items changed.').waitFor();
  const prices = () => Promise.all(ids.map(async (id) => (await desk.api('GET', `/line_items/${id}`))['cpm']));
  expect(await prices()).toEqual([7.5, 7.5]);
  await page.locator('.toast', { hasText: '2 line items changed.' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('They are as before.').waitFor();
  expect(await prices()).toEqual([1, 2]);
  await page.getByLabel('Field to set').selectOption('priority');
  await page.getByLabel('Priority (1 to 3)').fill('9');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByText('Nothing was changed. Bulk one: must be one of 1, 2, 3').waitFor();
});

test('a search survives Back, and the palette finds screens and records', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Findable boots');
  await desk.admin.go('#/line_items');
  await page.getByRole('searchbox').fill('findable');
  await page.getByText('1 line item', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Findable boots', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Findable boots' }).waitFor();
  await page.goBack();
  await page.getByText('1 line item', { exact: true }).waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('findable');

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('findable boots');
  await page.getByRole('option', { name: 'Findable boots line item' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator(`.screen[data-at="#/line_items/${item}"]`).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('new camp');
  await page.getByRole('option', { name: 'New campaign' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('home shows what needs attention, and mends it', async () => {
  const { page } = desk.admin;
  const item = await bookItem('To approve');
  const creative = await desk.api('POST', '/creatives', {
    placement_id: 'top',
    line_item_id: item,
    format: 'html',
    content: 'new',
    status: 'pending',
  });
  await desk.admin.go('#/overview');
  const row = page.locator('.needs li', { hasText: `Creative ${creative.id}` });
  await row.getByText('waits for approval; of To approve').waitFor();
  await row.getByRole('button', { name: 'Approve' }).click();
  await page.getByText(`Creative ${creative.id} is approved.`).waitFor();
  expect(await desk.api('GET', `/creatives/${creative.id}`)).toMatchObject({ status: 'approved' });
  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await page.locator('.home-figure', { hasText: 'Requests' }).waitFor();
});

test('a change is undone and a deleted record is restored from History', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Historic', { cpm: 3, priority: 2 });
  await desk.api('PATCH', `/line_items/${item}`, { cpm: 9, priority: 1 });
  const { id: creative } = await desk.api('POST', '/creatives', {
    placement_id: 'top',
    line_item_id: item,
    format: 'html',
    content: 'gone',
    name: 'Gone',
  });
  await desk.api('DELETE', `/creatives/${creative}`);
  await desk.admin.go('#/history');
  await page.getByRole('button', { name: `Undo the change of ${item}` }).click();
  await page.getByText(`Line item ${item} is as before.`).waitFor();
  expect(await desk.api('GET', `/line_items/${item}`)).toMatchObject({ cpm: 3, priority: 2 });
  // The list is read again and has another line: the button is in its place then.
  await page
    .getByRole('button', { name: `Undo the change of ${item}` })
    .nth(1)
    .waitFor();
  await page.getByRole('button', { name: `Restore ${creative}` }).click();
  await page.getByText('Creative “Gone” is restored.').waitFor();
  expect(await desk.api('GET', `/creatives/${creative}`)).toMatchObject({ id: creative, name: 'Gone', line_item_id: item });
});

test('a record is deleted with all that belongs to it, and is back with it by one click', async () => {
  const { page } = desk.admin;
  const item = await bookItem('Whole', { cpm: 3 });
  const made = { placement_id: 'top', line_item_id: item, format: 'html', content: 'gone' };
  const creatives = [await desk.api('POST', '/creatives', made), await desk.api('POST', '/creatives', made)].map(({ id }) => id);
  await desk.admin.go(`#/line_items/${item}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete line item “Whole”?' });
  await question.getByText('All of it can be restored from History.').waitFor();
  await shootWidths(page, 'delete-question');
  await question.getByRole('button', { name: 'Delete all 4' }).click();
  await page.locator('.toast', { hasText: 'was deleted' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Line item “Whole” is restored.').waitFor();
  for (const id of creatives) expect(await desk.api('GET', `/creatives/${id}`)).toMatchObject({ id, line_item_id: item });
  await desk.admin.go('#/history');
  await page.getByRole('row', { name: /restored.*with 3 creatives/ }).waitFor();
  await shootWidths(page, 'history-restored');
});
