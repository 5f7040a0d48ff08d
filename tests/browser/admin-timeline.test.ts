import { shootSchemes } from './setup/shoot.ts';
import { FLIGHT } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const desk = useAdmin();

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test('an empty tool names the five steps to a first ad, notices each by itself, and is quiet when all are done', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/overview');
  const steps = page.getByRole('list', { name: 'Set-up' }).getByRole('listitem');
  const next = (label: string) => page.getByRole('button', { name: label }).waitFor();
  await next('Add a publisher');
  const publisher = await desk.api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const apiKey = (publisher as { readonly api_key?: string }).api_key ?? '';
  await desk.api('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  await next('Get the tag');
  expect(await steps.nth(1).textContent()).toContain('✓');
  await page.getByText('The service runs well, on 1 server.').waitFor();
  await shootSchemes(page, 'first-run');
  await page.getByRole('button', { name: 'Hide these steps' }).click();
  await steps.first().waitFor({ state: 'detached' });
  await page.evaluate(() => localStorage.removeItem('set-up-hidden'));
  await desk.admin.go('#/campaigns');
  await desk.admin.go('#/overview');
  const ask = async () => {
    const answer = await fetch(`${desk.replica.url}/ad`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey, 'User-Agent': BROWSER },
      body: JSON.stringify({ id: 'r', user: { id: 'u' }, imp: [{ id: '1', tagid: 'top' }], ext: { publisher_id: publisher.id } }),
    });
    return (await answer.json()) as { readonly seatbid: readonly { readonly bid: readonly { readonly impurl: string }[] }[] };
  };
  await ask();
  await next('Add a campaign');
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'First', ...FLIGHT });
  const item = await desk.api('POST', '/line_items', { campaign_id: campaign.id, name: 'First', active: true, cpm: 2, ...FLIGHT });
  await desk.api('POST', '/creatives', { line_item_id: item.id, placement_ids: ['top'], format: 'html', content: '<b>ad</b>' });
  await next('Test an ad');
  const shown = (await ask()).seatbid[0]!.bid[0]!;
  await fetch(new URL(shown.impurl, desk.replica.url), { headers: { 'User-Agent': BROWSER } });
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  expect(await steps.count()).toBe(0);
});

test('the timeline shows what is booked by placement and by advertiser, is used with the keyboard, and is a table on request', async () => {
  const { page } = desk.admin;
  const publisher = await desk.api('POST', '/publishers', { name: 'The Courier', domain: 'courier.example' });
  const advertiser = await desk.api('POST', '/advertisers', { name: 'Boots & Co' });
  for (const id of ['left', 'right'])
    await desk.api('POST', '/placements', { id, width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  const flight = { start_date: day(-400), end_date: day(400) };
  const campaign = await desk.api('POST', '/campaigns', {
    publisher_id: publisher.id,
    name: 'Autumn',
    advertiser_id: advertiser.id,
    ...flight,
  });
  const book = async (name: string, from: number, to: number, placements: readonly string[]) => {
    const dates = { start_date: day(from), end_date: day(to) };
    const item = await desk.api('POST', '/line_items', { campaign_id: campaign.id, name, active: true, cpm: 2, ...dates });
    await desk.api('POST', '/creatives', { line_item_id: item.id, placement_ids: placements, format: 'html', content: '<b>ad</b>' });
    return item.id;
  };
  await book('Boots now', -3, 3, ['left']);
  const both = await book('Boots everywhere', -10, 20, ['left', 'right']);
  await book('Boots long ago', -300, -290, ['left']);

  await desk.admin.go('#/timeline');
  const left = page.getByRole('region', { name: 'left, 2 line items' });
  await left.getByRole('link', { name: /^Boots now, .*, ready$/ }).waitFor();
  expect(await left.getByRole('link', { name: /long ago/ }).count()).toBe(0);
  // The first bar by Tab, the next by an arrow, and the other group by another.
  await left.locator('.booking[tabindex="0"]').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Boots now');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Boots everywhere', level: 1 }).waitFor();
  expect(page.url()).toContain(`#/line_items/${both}`);

  await page.goBack();
  await page.getByRole('button', { name: 'Advertiser' }).click();
  await page.getByRole('region', { name: 'Boots & Co, 2 line items' }).waitFor();
  for (const name of ['Months', 'Earlier', 'Earlier']) await page.getByRole('button', { name }).click();
  await page
    .getByRole('region', { name: 'Boots & Co, 1 line item' })
    .getByRole('link', { name: /long ago/ })
    .waitFor();
  expect(page.url()).toMatch(/#\/timeline\?by=advertiser&scale=months&at=\d{4}-\d\d-\d\d$/);
  await page.getByRole('button', { name: 'Today' }).click();
  await page.getByRole('button', { name: 'As a table' }).click();
  const table = page.getByRole('table', { name: 'Bookings of Boots & Co' });
  expect(await table.getByRole('row').count()).toBe(3);
  await page.getByRole('searchbox').fill('everywhere');
  await page.waitForFunction(() => document.querySelectorAll('main tbody tr').length === 1);
});

test('a campaign is duplicated with what belongs to it in one click, and the way back is one more', async () => {
  const { page } = desk.admin;
  const publisher = await desk.api('POST', '/publishers', { name: 'The Herald', domain: 'herald.example' });
  const flight = { start_date: '2026-01-01', end_date: '2099-01-01' };
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Winter', ...flight });
  await desk.api('POST', '/line_items', { campaign_id: campaign.id, name: 'Coats', active: true, cpm: 2, ...flight });
  await desk.admin.go(`#/campaigns/${campaign.id}`);
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  await page.getByRole('heading', { name: 'Winter (copy)', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Coats' }).first().waitFor();
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Winter', level: 1, exact: true }).waitFor();
  expect(await desk.api('GET', `/campaigns?publisher_id=${publisher.id}`)).toMatchObject([{ id: campaign.id }]);
});
