import { FLIGHT } from './setup/start-admin.ts';
import { shootSchemes } from './setup/shoot.ts';
import { useAdmin } from './setup/use-admin.ts';

const desk = useAdmin();

const save = async (): Promise<void> => {
  await desk.admin.page.locator('.save-bar button[type=submit]').click();
  await desk.admin.page
    .getByText(/was saved/)
    .last()
    .waitFor();
};
const choose = (field: string, value: string) => desk.admin.page.locator(`.choice:has(input[name$="${field}"][value="${value}"])`).click();

const book = async (fields: object) => {
  const publisher = await desk.api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Boots', ...FLIGHT });
  const item = await desk.api('POST', '/line_items', {
    campaign_id: campaign.id,
    name: 'Boots, sport',
    active: true,
    cpm: 2,
    ...FLIGHT,
    ...fields,
  });
  return { publisher, campaign, item };
};

test('choosing a class sets what it decides, hides it, and keeps the rest open', async () => {
  const { item } = await book({});
  const { page } = desk.admin;
  await desk.admin.go(`#/line_items/${item.id}/edit`);
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
  expect(await desk.api('GET', `/line_items/${item.id}`)).toMatchObject({
    class: 'house',
    priority: 3,
    budget_type: 'Flat',
    share_of_voice: null,
  });
});

test('a list price of the rate card is offered, and the price follows from it and the discount', async () => {
  const { publisher, item } = await book({});
  const { page } = desk.admin;
  await desk.admin.go(`#/publishers/${publisher.id}`);
  await page.getByRole('button', { name: 'Add a price' }).click();
  await page.getByLabel('Price of price 1').fill('10');
  await page.getByLabel('Size of price 1').fill('970x250');
  await shootSchemes(page, 'rate-card');
  await save();
  await desk.admin.go(`#/line_items/${item.id}/edit`);
  await page.getByRole('heading', { name: 'Rate card' }).waitFor();
  await page.getByRole('button', { name: 'Use $10.00 as the list price' }).click();
  await page.locator('#field-discount').fill('20');
  expect(await page.locator('#field-cpm').inputValue()).toBe('8');
  await shootSchemes(page, 'prices-item');
  await save();
  await page.getByText('$8.00 CPM, 20% off $10.00').waitFor();
  expect(await desk.api('GET', `/line_items/${item.id}`)).toMatchObject({ list_price: 10, discount: 20, cpm: 8 });
});

test('a line item that ended before its goal offers a make-good, which is linked to it', async () => {
  const { item } = await book({ start_date: '2026-01-01', end_date: '2026-01-31', goal_impressions: 500 });
  const { page } = desk.admin;
  await desk.admin.go(`#/line_items/${item.id}`);
  await page.getByRole('button', { name: 'Make good what is missing' }).waitFor();
  await shootSchemes(page, 'make-good');
  await page.getByRole('button', { name: 'Make good what is missing' }).click();
  await page.getByText('It is paused: look at its dates, then resume it.').waitFor();
  await page.getByRole('link', { name: `It carries what line item #${item.id} did not deliver.` }).waitFor();
});

test('the booking screen offers the rate card, and its lines say what a line item was sold as', async () => {
  const { publisher, campaign, item } = await book({ priority: 1, share_of_voice: 30, roadblock: true, daily_impression_cap: 5_000 });
  const { page } = desk.admin;
  await desk.api('PATCH', `/publishers/${publisher.id}`, { rate_card: [{ budget_type: 'CPM', price: 10 }] });
  const shared = { publisher_id: publisher.id, name: 'Sport, DACH', targeting: { countries: ['DE'] } };
  const targeting = await desk.api('POST', '/targetings', shared);
  const schedule = [{ days: ['mon'], from: '08:00', to: '12:00' }];
  await desk.api('PATCH', `/line_items/${item.id}`, { targeting_id: targeting.id, schedule, schedule_zone: 'visitor' });
  await desk.api('PATCH', `/campaigns/${campaign.id}`, { daily_budget: 50 });
  await desk.admin.go(`#/line_items/${item.id}`);
  for (const words of ['It serves Mon 08:00–12:00, on the clock of the visitor.', 'Daily budget of the campaign', 'of “Sport, DACH”'])
    await page.getByText(words).first().waitFor();
  await desk.admin.go(`#/campaigns/${campaign.id}/book`);
  for (const words of [
    '30% of the requests, all placements together',
    'of “Sport, DACH”',
    'Mon 08:00–12:00 on the clock of the visitor',
    '5,000 impressions a day',
  ])
    await page.getByText(words).first().waitFor();
  await page.locator('.desk-group-head', { hasText: 'How much' }).click();
  await page.getByRole('button', { name: 'Use $10.00 as the list price' }).click();
  await page.locator('.desk-group.open .desk-more button').click();
  await page.locator('#field-line-items-0-fields-discount').fill('20');
  expect(await page.locator('#field-line-items-0-fields-cpm').inputValue()).toBe('8');
  await page.getByText('$8.00 CPM, 20% off $10.00').first().waitFor();
  await shootSchemes(page, 'desk-rate-card');
});
