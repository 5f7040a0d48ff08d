import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { beyondOf, looksWrong } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import { useAdmin } from './setup/use-admin.ts';

const DAYS = 15;
const VISITS_A_DAY = 240;
const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

let publisher = 0;
let campaign = 0;
let sponsor = 0;
const desk = useAdmin(async ({ api, databaseUrl }) => {
  publisher = (await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' })).id;
  for (const [id, width, height] of [
    ['article-top', 728, 90],
    ['sidebar', 300, 250],
    ['fresh', 300, 250],
  ] as const)
    await api('POST', '/placements', { id, publisher_id: publisher, width, height, formats: ['html', 'banner'] });
  await api('POST', '/targetings', { publisher_id: publisher, name: 'Phones', targeting: { devices: ['mobile'] } });
  const flight = { start_date: day(-5), end_date: day(9) };
  campaign = (await api('POST', '/campaigns', { publisher_id: publisher, name: 'Autumn', ...flight })).id;
  const booked = { campaign_id: campaign, active: true, priority: 2, cpm: 4, pacing: 'Even', placement_ids: ['article-top'], ...flight };
  sponsor = (await api('POST', '/line_items', { ...booked, name: 'Sponsor', goal_impressions: 9_000, frequency_cap: 2 })).id;
  await api('POST', '/creatives', { line_item_id: sponsor, format: 'html', content: 'ad' });
  // Days of visitors as replicas would have stored them.
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `insert into traffic_sample
         (publisher_id, at, weight, visitor, page_view, remembered, floor_micros, visitor_offset, placements, sizes, pairs)
       select $1, now() - n * interval '1 day' / $3::int, 1, 'v' || n * 7 % 200, 0, true, null, null, array[place], array[''],
              array['countries7:country=FI', 'devices6:device=' || case when n * 7 % 3 = 0 then 'mobile' else 'desktop' end]
       from generate_series(1, $2::int * $3::int) n, unnest(array['article-top', 'sidebar']) place`,
      [publisher, DAYS, VISITS_A_DAY],
    );
    await client.query(
      `insert into request_days (day, publisher_id, placement_id, reason, size, requests)
       select (at at time zone 'utc')::date, publisher_id, placements[1], '', '300x250', count(*) from traffic_sample group by 1, 2, 3`,
    );
  });
});

const group = (label: string) => desk.admin.page.locator('.desk-group-head', { hasText: label }).first();
const forecast = () => desk.admin.page.locator('.forecast');
const head = () => forecast().locator('.forecast-head');

test('the booking says what it will deliver while it is typed, and what would help, with one press and back', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/campaigns/new');
  await page.locator('#field-campaign-fields-start-date').fill(day(1));
  await page.locator('#field-campaign-fields-end-date').fill(day(10));
  await forecast().getByText('Choose where it runs').waitFor();
  await group('Where').click();
  await page.getByLabel('article-top (728 × 90)').check();
  await group('How much').click();
  await page.locator('#field-line-items-0-fields-goal-impressions').fill('5,000');
  await page.locator('#field-line-items-0-fields-cpm').fill('9');
  await head()
    .getByText(/Will reach \d+% of its goal/)
    .waitFor();
  // 2,400 impressions match in ten days.
  expect(await forecast().locator('.forecast-figures dd').first().innerText()).toMatch(/^2,[2-6]\d\d$/);
  await forecast().getByText('From a replay of all bookings').waitFor();
  await forecast().getByText('Takes impressions from 1 line item').waitFor();
  expect(await forecast().getByRole('link', { name: 'Sponsor' }).getAttribute('href')).toBe(`#/line_items/${sponsor}`);
  await shootSchemes(page, 'forecast-booking');
  await forecast()
    .getByRole('button', { name: /Run 7 days longer/ })
    .click();
  expect(await page.locator('#field-campaign-fields-end-date').inputValue()).toBe(day(17));
  await forecast().getByText('Applied: Run 7 days longer.').waitFor();
  await eventually(async () =>
    expect(await forecast().locator('.forecast-figures dd').first().innerText()).toMatch(/^(3,[89]|4,[0-3])\d\d$/),
  );
  await forecast().getByRole('button', { name: 'Undo' }).click();
  expect(await page.locator('#field-campaign-fields-end-date').inputValue()).toBe(day(10));
  await page.locator('#field-line-items-0-fields-cpm').fill('');
  await forecast().getByText('It follows when nothing is missing').waitFor();
});

test('a placement without history takes another one as its model', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/campaigns/new');
  await group('Where').click();
  await page.getByLabel('fresh (300 × 250)').check();
  await group('How much').click();
  await page.locator('#field-line-items-0-fields-goal-impressions').fill('500');
  await page.locator('#field-line-items-0-fields-cpm').fill('3');
  await forecast().getByText('No traffic is known of fresh.').waitFor();
  const model = forecast().getByLabel('A placement that it will be like');
  await model.fill('side');
  await page.getByRole('option', { name: /sidebar/ }).click();
  await head().getByText('On course until').waitFor();
});

test('a line item says how it will end, since what, and takes a remedy in place', async () => {
  const { page } = desk.admin;
  await desk.admin.go(`#/line_items/${sponsor}`);
  await head()
    .getByText(/Will reach \d+% of its goal/)
    .waitFor();
  await forecast().getByText('From a replay of all bookings').waitFor();
  await forecast()
    .getByText(/Since only [\d,]+ impressions match/)
    .waitFor();
  await shootSchemes(page, 'forecast-line-item');
  await forecast()
    .getByRole('button', { name: /Run 7 days longer/ })
    .click();
  await page.locator('.toast', { hasText: 'Run 7 days longer: done.' }).waitFor();
  // And its campaign, which would have ended before.
  expect(await desk.api('GET', `/line_items/${sponsor}`)).toMatchObject({ end_date: day(16) });
  expect(await desk.api('GET', `/campaigns/${campaign}`)).toMatchObject({ end_date: day(16) });
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It is as before.').waitFor();
  expect(await desk.api('GET', `/line_items/${sponsor}`)).toMatchObject({ end_date: day(9) });
  expect(await desk.api('GET', `/campaigns/${campaign}`)).toMatchObject({ end_date: day(9) });
});

test('availability shows what is sold by week and day, the bookings behind it, and what staff know of traffic', async () => {
  const { page } = desk.admin;
  await desk.admin.go('#/availability');
  const cells = page.locator('.availability .cell');
  await cells.first().waitFor();
  expect(await page.locator('.availability tbody th').allInnerTexts()).toEqual(['All of them', 'article-top', 'sidebar']);
  // Next week and, further down, tomorrow: little may be left of this week and of today.
  await cells.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const card = page.locator('.cell-card');
  await card.getByRole('link', { name: 'Sponsor' }).waitFor();
  await card.getByText('impressions are free').waitFor();
  expect(await looksWrong(page)).toEqual([]);
  await page.getByRole('button', { name: 'Days' }).click();
  await eventually(async () => expect(await cells.count()).toBeGreaterThanOrEqual(3 * 28));
  const size = page.viewportSize()!;
  await page.setViewportSize({ ...size, width: 768 });
  // The days scroll in their frame, not the page.
  expect(await beyondOf(page)).toEqual([]);
  await page.setViewportSize(size);
  await shootSchemes(page, 'availability');
  const lines = () => page.locator('.availability tbody th').allInnerTexts();
  await page.getByLabel('Size').selectOption('300 × 250');
  await eventually(async () => expect(await lines()).toEqual(['sidebar']));
  await page.getByLabel('Size').selectOption('All sizes');
  await page.getByLabel('Lines').selectOption('By country');
  await eventually(async () => expect(await lines()).toEqual(['Finland']));
  await cells.nth(1).click();
  await card.getByText('Finland, ').waitFor();
  await card.getByRole('link', { name: 'Sponsor' }).waitFor();
  await page.getByLabel('Lines').selectOption('By targeting');
  await eventually(async () => expect(await lines()).toEqual(['Phones']));
  await shootSchemes(page, 'availability-targetings');
  await page.getByLabel('Lines').selectOption('By placement');
  await page.getByRole('combobox', { name: 'Targeting' }).fill('Pho');
  await page.getByRole('option', { name: 'Phones' }).click();
  await eventually(async () => expect(await lines()).toEqual(['All of them', 'article-top', 'sidebar']));
  await page.getByRole('combobox', { name: 'Country' }).fill('Swed');
  await page.getByRole('option', { name: 'Sweden' }).click();
  await page.getByText('No traffic of this kind is expected.').waitFor();
  expect(page.url()).toMatch(/country=SE&targeting=\d+$/);
  await desk.admin.go('#/availability');
  await cells.first().waitFor();

  await page.getByRole('button', { name: 'Add what is known of traffic' }).click();
  await page.locator('.traffic-form button[type=submit]').click();
  await page.getByText('From needs a day and a time').waitFor();
  await page.locator('.traffic-form [name=name]').fill('Election night');
  expect(await page.getByLabel('From (UTC)').getAttribute('name')).toBe('from');
  await page.locator('.traffic-form [name=from]').fill(`${day(3)}T18:00`);
  await page.locator('.traffic-form [name=to]').fill(`${day(3)}T23:00`);
  await page.locator('.traffic-form [name=factor]').fill('3');
  await page.locator('.traffic-form [name=key_values]').fill('section=politics');
  await page.locator('.traffic-form button[type=submit]').click();
  const event = page.locator('.traffic-event', { hasText: 'Election night' });
  await event.getByText('all placements, pages with section=politics').waitFor();
  await event.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.traffic-form [name=factor]').fill('2.5');
  await page.locator('.traffic-form button[type=submit]').click();
  await event.getByText('× 2.5').waitFor();
  await event.getByRole('button', { name: 'Remove' }).click();
  await event.waitFor({ state: 'detached' });
  await page.locator('.toast', { hasText: 'is removed' }).getByRole('button', { name: 'Undo' }).click();
  await event.getByText('× 2.5').waitFor();
});

test('what is known of traffic is typed and read on the clocks of the publisher', async () => {
  const { page } = desk.admin;
  const { id } = await desk.api('POST', '/publishers', { name: 'Helsinki', domain: 'helsinki.example', time_zone: 'Europe/Helsinki' });
  const noted = { publisher_id: id, name: 'Election night', factor: 3, from: '2027-04-18T17:00:00.000Z', to: '2027-04-18T20:30:00.000Z' };
  await desk.api('POST', '/traffic_events', noted);
  await desk.admin.go(`#/availability?publisher=${id}`);
  const event = page.locator('.traffic-event', { hasText: 'Election night' });
  await event.getByText('Apr 18, 2027, 20:00–23:30 (Europe/Helsinki)').waitFor();
  await event.getByRole('button', { name: 'Edit' }).click();
  expect(await page.getByLabel('From (Europe/Helsinki)').inputValue()).toBe('2027-04-18T20:00');
  await page.getByLabel('To (Europe/Helsinki)').fill('2027-04-19T00:30');
  await page.locator('.traffic-form button[type=submit]').click();
  await event.getByText('Apr 18, 2027, 20:00 – Apr 19, 2027, 00:30 (Europe/Helsinki)').waitFor();
  expect(await desk.api('GET', `/traffic_events?publisher=${id}`)).toMatchObject([{ from: noted.from, to: '2027-04-18T21:30:00.000Z' }]);
});

test('home lists a goal that will be missed with its money, and does what helps most', async () => {
  const { page } = desk.admin;
  const flight = { start_date: day(1), end_date: day(20) };
  const item = await desk.api('POST', '/line_items', {
    ...{ campaign_id: campaign, name: 'Scarves', active: true, cpm: 10, priority: 2, goal_impressions: 50_000, pacing: 'Even' },
    ...{ placement_ids: ['sidebar'], ...flight },
  });
  await desk.api('POST', '/creatives', { line_item_id: item.id, format: 'html', content: 'ad' });
  await desk.api('PATCH', `/campaigns/${campaign}`, { end_date: day(20) });
  const remedy = { change: 'higher_priority', words: 'give it priority 1', p50: 47_500, fields: { priority: 1 } };
  await withClient(desk.databaseUrl, (client) =>
    client.query(
      `insert into forecast_bases (publisher_id, made_on, catalog_version, figures, at_risk) values ($1, $2, 1, '{}', $3)
       on conflict (publisher_id, made_on) do update set at_risk = excluded.at_risk`,
      [publisher, day(0), JSON.stringify([{ lineItemId: item.id, goal: 50_000, due: 50_000, expected: 30_000, remedy }])],
    ),
  );
  await desk.admin.go('#/overview');
  const row = page.locator('.needs-money li', { hasText: 'Scarves' });
  await row.getByText('$200.00').waitFor();
  await row.getByText('expected to deliver 30,000 of 50,000').waitFor();
  await shootSchemes(page, 'forecast-home');
  await row.getByRole('button', { name: 'Give it priority 1: 47,500' }).click();
  await page.locator('.toast', { hasText: 'Give it priority 1: done.' }).waitFor();
  expect(await desk.api('GET', `/line_items/${item.id}`)).toMatchObject({ priority: 1 });
});

test('a row that says behind asks the forecast, shows what each change would bring, does it in place and undoes it', async () => {
  const { page } = desk.admin;
  const late = await desk.api('POST', '/line_items', {
    ...{ campaign_id: campaign, name: 'Late gloves', active: true, cpm: 4, priority: 2, goal_impressions: 20_000, pacing: 'Even' },
    ...{ placement_ids: ['article-top'], start_date: day(-5), end_date: day(3) },
  });
  await desk.api('POST', '/creatives', { line_item_id: late.id, format: 'html', content: 'ad' });
  await desk.admin.go('#/overview');
  const row = page.locator('.needs-money li', { hasText: 'Late gloves' });
  // What needs attention is remembered for ten seconds.
  await eventually(async () => {
    await desk.admin.go('#/overview');
    expect(await row.count()).toBe(1);
  });
  // The replay of all bookings that a replica does by itself may have found what helps most: then it asks for more.
  const helps = row.getByRole('button', { name: /^(What helps\?|More)$/ });
  await helps.click();
  await row.getByText(/As it is/).waitFor();
  await row
    .getByRole('button', { name: /Show it on sidebar too: / })
    .last()
    .waitFor();
  await row.getByText('From a replay of all bookings').waitFor();
  await shootSchemes(page, 'home-remedies');
  await row
    .getByRole('button', { name: /Run 7 days longer/ })
    .last()
    .click();
  await row.getByText('Run 7 days longer: done.').waitFor();
  expect((await desk.api('GET', `/line_items/${late.id}`)).end_date).toBe(day(10));
  await row.getByRole('button', { name: 'Undo' }).click();
  await helps.waitFor();
  expect((await desk.api('GET', `/line_items/${late.id}`)).end_date).toBe(day(3));
});
