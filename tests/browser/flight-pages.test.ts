import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { openAdmin } from './setup/start-admin.ts';
import { shootSchemes } from './setup/shoot.ts';
import { useAdmin } from './setup/use-admin.ts';

const DAY_MS = 86_400_000;
const day = (offset: number): string => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);

const ids = { campaign: 0, running: 0, finished: 0, future: 0, short: 0, blank: 0, fee: 0 };
const desk = useAdmin(async ({ api, databaseUrl }) => {
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const flight = { start_date: day(-40), end_date: day(60) };
  const advertiser_id = (await api('POST', '/advertisers', { name: 'Boots of the North' })).id;
  ids.campaign = (await api('POST', '/campaigns', { publisher_id: publisher.id, advertiser_id, name: 'Boots', ...flight })).id;
  const later = (await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Later', start_date: day(10), end_date: day(19) })).id;
  const flash = (await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Flash', ...flight })).id;
  const item = async (name: string, from: number, to: number, campaign_id = ids.campaign): Promise<number> => {
    const terms = { active: true, cpm: 4, goal_impressions: 1_000, pacing: 'Even', start_date: day(from), end_date: day(to) };
    return (await api('POST', '/line_items', { campaign_id, name, ...terms })).id;
  };
  ids.running = await item('Running', -4, 5);
  ids.finished = await item('Finished', -30, -20);
  ids.future = await item('To come', 10, 19, later);
  ids.short = await item('Short', -1, 1, flash);
  ids.blank = await item('Blank', -2, 20, flash);
  const fee = { active: true, budget_type: 'Flat', budget: 250_000, goal_impressions: 9_000_000, ...flight };
  ids.fee = (await api('POST', '/line_items', { campaign_id: flash, name: 'Fee', ...fee })).id;
  await api('PATCH', `/line_items/${ids.running}`, { cpm: 5 });
  await withClient(databaseUrl, async (client) => {
    const store = (id: number, offset: number, impressions: number, campaign = ids.campaign) =>
      client.query(
        `insert into report_days (day, publisher_id, campaign_id, line_item_id, creative_id, placement_id, reason, impressions, spend_micros)
         values ($1, $2, $3, $4, 1, 'top', '', $5, $6)`,
        [day(offset), publisher.id, campaign, id, impressions, impressions * 4_000],
      );
    for (const [offset, impressions] of [
      [-4, 60],
      [-3, 80],
      [-2, 70],
      [-1, 70],
    ] as const)
      await store(ids.running, offset, impressions);
    await store(ids.finished, -25, 700);
    await store(ids.short, -1, 90, flash);
    await store(ids.fee, -9, 3_400_000, flash);
    const hour = (at: number, impressions: number) =>
      client.query(
        `insert into report_hours (day, hour, publisher_id, campaign_id, line_item_id, creative_id, placement_id, reason, impressions)
         values (cast($1 as date), $2, $3, $4, $5, 1, 'top', '', $6)`,
        [day(-1), `${day(-1)}T${String(at).padStart(2, '0')}:00:00Z`, publisher.id, flash, ids.short, impressions],
      );
    await hour(9, 30);
    await hour(18, 60);
    await client.query(
      `insert into report_hours (day, hour, publisher_id, campaign_id, line_item_id, creative_id, placement_id, reason, serves, impressions, viewable, clicks, spend_micros)
       values (cast($1 as date), cast(cast($1 as date) as timestamp) at time zone 'utc', $2, $3, $4, 1, 'top', '', 80, 70, 35, 1, 280000)`,
      [day(-1), publisher.id, ids.campaign, ids.running],
    );
    await client.query(
      `insert into refusals (hour, line_item_id, reason, outranked_by, impressions) values ($1, $2, 0, 9, 20), ($1, $2, 505, 0, 60)`,
      [new Date(day(-1)), ids.running],
    );
  });
});

/** The headings of a page, in their order. */
const cards = () => desk.admin.page.locator('.card h2').allInnerTexts();
const flightCard = () => desk.admin.page.locator('.card', { has: desk.admin.page.getByRole('heading', { name: 'The flight' }) });
/** What the chart says to who cannot see it; it does when it is drawn, after the words around it. */
const chartLabel = () => flightCard().locator('ad-chart[aria-label]').getAttribute('aria-label');

test('a running line item shows its flight: what was delivered of its goal, how it is likely to end, and what was changed', async () => {
  await desk.admin.go(`#/line_items/${ids.running}`);
  await eventually(async () => expect(await flightCard().innerText()).toContain('280 of 1,000'));
  expect(await flightCard().innerText()).toMatch(/As the last days went, it ends on .* with 7\d\d, between \d+ and \d+\./);
  expect(await chartLabel()).toContain('The goal is 1,000.');
  await flightCard().getByText('Changes and notes during the flight').click();
  expect(await flightCard().innerText()).toContain('Price per thousand (CPM) $4.00 → $5.00');
  const { page } = desk.admin;
  await page.getByLabel('Comment', { exact: true }).fill('Printers are on strike');
  await page.getByLabel('Day on the chart').fill(day(-2));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await flightCard().getByText('Printers are on strike').waitFor();
  await shootSchemes(page, 'flight-notes');
});

test('the pages of a line item and of its campaign show what became of requests, with what was lost on the way', async () => {
  for (const hash of [`#/line_items/${ids.running}`, `#/campaigns/${ids.campaign}`]) {
    await desk.admin.go(hash);
    const steps = desk.admin.page.locator('.flow > li');
    await eventually(async () => expect(await steps.count()).toBe(7));
    const words = (await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    expect(words).toEqual([
      '160 Asked',
      '160 Matched 100% −20 outranked −60 daily cap',
      '80 Served 50% −10 not rendered',
      '70 Shown 88%',
      '35 Seen 50%',
      '1 Clicked 2.86%',
      '$0.28 Billed',
    ]);
  }
});

test('a flight of three days has its course by hour, and another the flight before of the same advertiser beside it', async () => {
  await desk.admin.go(`#/line_items/${ids.short}`);
  expect(await chartLabel()).toMatch(/^Impressions by hour from .*: 90 so far\. The goal is 1,000\.$/);
  await shootSchemes(desk.admin.page, 'flight-by-hour');
  await desk.admin.go(`#/line_items/${ids.running}`);
  const before = flightCard().locator('.legend').getByText('the flight before,');
  await before.waitFor();
  expect(await before.getByRole('link', { name: 'Finished' }).getAttribute('href')).toBe(`#/line_items/${ids.finished}`);
  await shootSchemes(desk.admin.page, 'flight-before');
});

test('a line item that is over says how it ended, without figures of today', async () => {
  await desk.admin.go(`#/line_items/${ids.finished}`);
  await eventually(async () => expect(await flightCard().innerText()).toContain('300 impressions short of its goal.'));
  expect(await cards()).toEqual(expect.not.arrayContaining(['Today', 'Last 14 days', 'Lost today']));
  await flightCard().getByText('By day').click();
  await flightCard().getByRole('table', { name: 'The flight by day' }).getByRole('cell', { name: '700' }).waitFor();
});

test('a line item that is to come says when it begins, and what it was booked for', async () => {
  await desk.admin.go(`#/line_items/${ids.future}`);
  await eventually(async () => expect(await flightCard().innerText()).toContain('in 10 days, and runs for 10 days.'));
  expect(await flightCard().innerText()).toContain('Booked: 1,000 impressions, about 100 a day.');
  // Once, though its campaign begins with it.
  expect(await desk.admin.page.locator('.status-line p', { hasText: 'flight begins' }).count()).toBe(1);
  expect(await cards()).toEqual(['The flight', 'Creatives', 'Goals, caps and budgets', 'How it is delivered', 'Comments']);
});

test('a line item that runs without a creative shows what it lacks, and no empty charts', async () => {
  await desk.admin.go(`#/line_items/${ids.blank}`);
  await desk.admin.page.getByRole('button', { name: 'Add a creative' }).waitFor();
  expect(await cards()).toEqual(['Creatives', 'Goals, caps and budgets', 'How it is delivered', 'Comments']);
});

test('a status that raises a question leads to its answer, and the help finds others by their words', async () => {
  const { page, go } = desk.admin;
  await go(`#/line_items/${ids.running}`);
  await page.getByRole('button', { name: 'Why can it not serve?' }).click();
  const help = page.getByRole('dialog', { name: 'Help' });
  await help.getByText('Its status names what is missing').waitFor();
  await shootSchemes(page, 'help');
  await help.getByLabel('Find a question').fill('spreadsheet');
  await eventually(async () =>
    expect(await help.locator('summary').allInnerTexts()).toEqual(['How is an e-mail or a spreadsheet booked?']),
  );
  await help.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('?');
  await help.getByRole('button', { name: 'All documents' }).waitFor();
});

test('a campaign sums its line items against what was booked', async () => {
  await desk.admin.go(`#/campaigns/${ids.campaign}`);
  await eventually(async () => expect(await flightCard().innerText()).toContain('980 of 2,000'));
});

test('a morning check with the keyboard alone: rows of one line, j and k lead through them, x chooses, Enter opens, e edits', async () => {
  const { page, go } = desk.admin;
  await go('#/line_items');
  const heights = await page
    .locator('.listed tbody tr')
    .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
  expect(Math.max(...heights)).toBeLessThanOrEqual(37);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('j');
  expect(await focused()).toBe('Running');
  await page.keyboard.press('j');
  expect(await focused()).toBe('Finished');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  expect(await page.locator('td.check input:checked').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Running' }).waitFor();
  await go('#/line_items');
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await page.locator('form.line_items').waitFor();
});

test.each([1440, 390])('the pages of flights at %i px have no fault of accessibility', async (width) => {
  const looked = await openAdmin(desk.browser, desk.replica, { width, scheme: 'dark' });
  const items = [ids.running, ids.future, ids.fee].map((id) => `#/line_items/${id}`);
  for (const hash of [...items, `#/campaigns/${ids.campaign}`, '#/line_items']) {
    await looked.go(hash);
    await loadAxe(looked.page);
    expect([hash, await violationsOf(looked.page), await beyondOf(looked.page)]).toEqual([hash, [], []]);
  }
  await looked.close();
});
