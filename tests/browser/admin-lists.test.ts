import { eventually } from '../../testkit/until.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { shoot, shootSchemes } from './setup/shoot.ts';
import { FLIGHT, pick } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

let items: readonly number[];

/** More than one answer of the service has. */
const COUNT = 130;

const desk = useAdmin(async ({ api }) => {
  const publishers = [];
  for (const name of ['The Gazette', 'Harbour News']) publishers.push(await api('POST', '/publishers', { name, domain: 'p.example' }));
  const campaigns: number[] = [];
  for (const [i, { id }] of publishers.entries())
    campaigns.push((await api('POST', '/campaigns', { publisher_id: id, name: `Campaign ${i + 1}`, ...FLIGHT })).id);
  const operations = Array.from({ length: COUNT }, (_, i) => ({
    method: 'POST',
    path: '/line_items',
    body: { campaign_id: campaigns[i % 2], name: `Item ${String(i).padStart(3, '0')}`, active: i % 10 !== 0, cpm: 1 + i / 10, ...FLIGHT },
  }));
  const { results } = (await api('POST', '/bulk', { operations })) as unknown as { results: { body: { id: number } }[] };
  items = results.map(({ body }) => body.id);
});

const names = () => desk.admin.page.locator('tbody .name').allInnerTexts();
const chip = (label: string) => desk.admin.page.locator('.filter-chip', { has: desk.admin.page.locator('summary', { hasText: label }) });
const sortBy = (label: string) => desk.admin.page.getByRole('columnheader', { name: label }).getByRole('button').click();
const search = (text: string) => desk.admin.page.getByRole('searchbox').fill(text);

test('a list is sorted by its heads, shows more as it is scrolled, and Back restores search, order, filters and scroll', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/line_items');
  await page.getByText('130 line items', { exact: true }).waitFor();
  await sortBy('Price');
  await eventually(async () => expect((await names())[0]).toBe('Item 129'));
  expect(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort')).toBe('descending');
  await sortBy('Price');
  await eventually(async () => expect((await names())[0]).toBe('Item 000'));
  await page.mouse.wheel(0, 9_000);
  await eventually(async () => expect((await names()).at(-1)).toBe('Item 129'));
  // Only what is in view is drawn.
  expect((await names()).length).toBeLessThan(100);

  await chip('Publisher').locator('summary').click();
  await pick(page.getByRole('combobox', { name: 'Publisher' }), 'Harbour');
  await page.getByText('65 line items', { exact: true }).waitFor();
  await search('item 1');
  await page.getByText('29 line items', { exact: true }).waitFor();
  const last = (await names()).at(-1)!;
  await page.getByRole('link', { name: last, exact: true }).scrollIntoViewIfNeeded();
  const [before, shown] = [await page.evaluate(() => scrollY), await names()];
  expect(before).toBeGreaterThan(100);
  // The browser reports the end of a scroll a moment later.
  await page.waitForTimeout(300);
  await page.getByRole('link', { name: last, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: last }).waitFor();
  await page.goBack();
  await page.getByRole('searchbox').waitFor();
  await eventually(async () => expect(await names()).toEqual(shown));
  // Statuses that arrive meanwhile may change the height of a row.
  expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(60);
  expect(await page.getByRole('searchbox').inputValue()).toBe('item 1');
  await chip('Publisher').getByText('Harbour News').waitFor();
  expect(new URL(page.url()).hash).toContain('sort=price');
});

test('filters are chosen from chips, and a saved view brings them back', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/line_items');
  await chip('Status').locator('summary').click();
  await page.getByLabel('draft', { exact: true }).check();
  await page.getByText('13 line items', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByLabel('Name of the view').fill('Not complete');
  await page.keyboard.press('Enter');
  await page.getByText('The view “Not complete” is saved.').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Status' }).click();
  await page.getByText('130 line items', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Not complete' }).click();
  await page.getByText('13 line items', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Not complete' }).getAttribute('aria-current')).toBe('true');
});

test('a value is changed in the list: Enter saves it, Escape leaves it, and a change by someone else is asked about', async () => {
  const { page } = desk.admin;
  const [, id] = items;
  const priceOf = async () => Number((await desk.api('GET', `/line_items/${id}`))['cpm']);
  await desk.admin.go('#/line_items?q=001');
  const price = page.getByRole('button', { name: 'change the price of Item 001' });
  const input = page.getByLabel('price of Item 001', { exact: true });
  await price.click();
  await input.fill('7.5');
  await page.keyboard.press('Enter');
  await page.getByText('“Item 001”: the price is changed.').waitFor();
  expect(await priceOf()).toBe(7.5);
  // The next such notice is that of the next change.
  await page.getByRole('button', { name: 'Close this notice' }).click();
  await price.click();
  await input.fill('9');
  await page.keyboard.press('Escape');
  await price.waitFor();
  expect(await priceOf()).toBe(7.5);

  await price.click();
  await input.fill('-1');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Price per thousand').waitFor();
  await desk.api('PATCH', `/line_items/${id}`, { cpm: 8 });
  await input.fill('9');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'changed the price of “Item 001” meanwhile' });
  await dialog.getByRole('button', { name: 'Theirs: 8' }).waitFor();
  await dialog.getByRole('button', { name: 'Yours: 9' }).click();
  await eventually(async () => expect(await priceOf()).toBe(9));
  await page.locator('.toast', { hasText: 'the price is changed' }).getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => expect(await priceOf()).toBe(8));
});

test.each([1280, 390])('at %d pixels price, priority, dates and cap are changed by keyboard in a quick edit', async (width) => {
  const { page } = desk.admin;
  const id = items[width === 390 ? 3 : 4]!;
  const name = width === 390 ? 'Item 003' : 'Item 004';
  await page.setViewportSize({ width, height: 900 });
  await desk.admin.go(`#/line_items?q=${name.slice(-3)}`);
  await page.locator(`summary[aria-label="Actions for ${name}"]`).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: `Quick edit ${name}` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Quick edit of “${name}”` });
  await dialog.getByLabel('Price per thousand (CPM)').fill('-2');
  await dialog.getByLabel('Priority').selectOption('1');
  await dialog.getByLabel('Daily impressions').fill('700');
  await dialog.getByLabel('End').fill('2098-12-31');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('Price per thousand (CPM)').waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `quick-edit-${width}`);
  await desk.api('PATCH', `/line_items/${id}`, { priority: 3, frequency_cap: 5 });
  await dialog.getByLabel('Price per thousand (CPM)').fill('6.5');
  await page.keyboard.press('Enter');
  await page
    .getByRole('dialog', { name: `changed the Priority of “${name}” meanwhile` })
    .getByRole('button', { name: 'Theirs: Low' })
    .click();
  await page.getByText(`“${name}” is changed.`).waitFor();
  const changed = { cpm: 6.5, priority: 3, daily_impression_cap: 700, end_date: '2098-12-31', frequency_cap: 5 };
  expect(await desk.api('GET', `/line_items/${id}`)).toMatchObject(changed);
  await page.locator('.toast', { hasText: 'is changed' }).getByRole('button', { name: 'Undo' }).click();
  await eventually(async () =>
    expect(await desk.api('GET', `/line_items/${id}`)).toMatchObject({ priority: 3, daily_impression_cap: null, end_date: '2099-01-01' }),
  );
});

test('a list is grouped with sums that are in view, and the keyboard alone walks through it, chooses and opens', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/line_items?sort=name');
  await page.getByLabel('Group by').selectOption({ label: 'By Campaign' });
  const group = (name: string) => page.getByRole('row', { name: new RegExp(`${name} 65 line items`) });
  await group('Campaign 1').waitFor();
  expect((await names()).slice(0, 2)).toEqual(['Item 000', 'Item 002']);
  await shootSchemes(page, 'list-grouped');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 line item chosen').waitFor();
  expect(await page.getByRole('checkbox', { name: 'Choose Item 002' }).isChecked()).toBe(true);
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Rows of Campaign 1' }).click();
  await eventually(async () => expect((await names())[0]).toBe('Item 001'));
  expect(await page.locator('tfoot').innerText()).toContain('Total');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Item 001' }).waitFor();
});

test('columns are chosen, ordered and widened, are so after a reload, and a file has just what is shown', async () => {
  const { page } = desk.admin;
  const heads = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.replace(/[↕↑↓\s]+$|^[↕↑↓\s]+/g, ''));
  await desk.admin.go('#/line_items?q=12&sort=-price');
  await page.locator('.columns-panel summary').click();
  for (const label of ['Status', 'Campaign', 'Today', 'Delivered', 'Spend today', '7 days'])
    await page.locator('.columns-panel').getByLabel(label, { exact: true }).uncheck();
  await page.locator('.columns-panel').getByLabel('Publisher', { exact: true }).check();
  await page.getByRole('button', { name: 'Publisher further to the left' }).click();
  const shown = ['Name', 'Publisher', 'Price'];
  expect((await heads()).filter((head) => shown.includes(head))).toEqual(shown);
  await page.keyboard.press('Escape');
  const handle = page.getByRole('separator', { name: 'Width of Publisher' });
  const before = Number(await handle.getAttribute('aria-valuenow'));
  await handle.focus();
  await page.keyboard.press('ArrowRight');
  await page.reload();
  await page.getByRole('link', { name: 'Item 129' }).waitFor();
  expect((await heads()).filter((head) => shown.includes(head))).toEqual(shown);
  await eventually(async () => expect(Number(await handle.getAttribute('aria-valuenow'))).toBe(before + 16));
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks)
    .toString()
    .replace(/^\uFEFF/, '')
    .trim()
    .split('\r\n');
  expect(lines[0]).toBe('Name,Publisher,Price');
  expect(lines[1]).toBe('Item 129,Harbour News,$13.90 CPM');
  expect(lines).toHaveLength(1 + (await page.locator('tr.record').count()));
  await page.locator('.columns-panel summary').click();
  await page.getByRole('button', { name: 'As usual' }).click();
  expect(await heads()).toContain('Status');
});

test('a quick edit closes when the person leaves the list', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/campaigns');
  await desk.admin.go('#/line_items');
  await page.locator('.row-menu summary').first().click();
  await page.getByRole('button', { name: /^Quick edit/ }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the first paint waits for one style sheet, one script and a line of preferences, and a list asks for few things', async () => {
  const { page } = desk.admin;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await desk.admin.go('#/line_items');
  await eventually(async () => expect((await names()).length).toBeGreaterThan(30));
  const firstCall = asked.findIndex((path) => path.startsWith('/api/'));
  expect(asked.slice(0, firstCall).toSorted()).toEqual([
    ...['/static/admin.html', '/static/admin/admin.css', '/static/admin/admin.js', '/static/admin/before-paint.js'],
  ]);
  // Who asks and what they may, records, what they belong to, sums, statuses, dimensions, and saved views.
  expect(asked.length - firstCall).toBeLessThanOrEqual(10);
});

test('a field for a record finds it by its name with the keyboard alone', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/line_items/new');
  const input = page.locator('#field-campaign-id');
  await input.focus();
  await page.keyboard.type('campaign 2');
  const option = page.getByRole('option', { name: 'Campaign 2', selected: true });
  await option.waitFor();
  expect(await input.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
  await page.keyboard.press('Enter');
  expect([await input.inputValue(), await input.getAttribute('aria-expanded')]).toEqual(['Campaign 2', 'false']);
  await page.keyboard.type('campaign 1');
  await page.getByRole('option', { name: 'Campaign 1', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  expect(await input.inputValue()).toBe('Campaign 2');
});
