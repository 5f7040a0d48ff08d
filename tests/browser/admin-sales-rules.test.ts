import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { shoot } from './setup/shoot.ts';
import { FLIGHT, openAdmin } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

const desk = useAdmin();

const save = () => desk.admin.page.locator('.save-bar button[type=submit]').click();

const book = async () => {
  const publisher = await desk.api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Boots', ...FLIGHT });
  const item = await desk.api('POST', '/line_items', { campaign_id: campaign.id, name: 'Boots, sport', active: true, cpm: 2, ...FLIGHT });
  return { publisher, campaign, item };
};

test('the form of a line item has the hours of a week, a share of voice and what is excluded', async () => {
  const { item } = await book();
  const { page } = desk.admin;
  await desk.admin.go(`#/line_items/${item.id}/edit`);
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
  await page.getByText('It gets 30% of the requests that it could serve, before all others.').waitFor();
  await page.getByText('on pages of www.gazette.example/sport').waitFor();
  await page.getByText('not in the audience customers').waitFor();

  const stored = await desk.api('GET', `/line_items/${item.id}`);
  expect(stored).toMatchObject({
    share_of_voice: 30,
    schedule: [
      { days: ['mon'], from: '00:00', to: '07:00' },
      { days: ['mon'], from: '08:00', to: '24:00' },
      { days: ['sat'], from: '20:00', to: '21:00' },
    ],
    targeting: { urls: ['www.gazette.example/sport'], exclude: { audiences: ['customers'] } },
  });
  await desk.admin.go('#/history');
  await page.getByText('Mon 00:00–07:00; Mon 08:00–24:00; Sat 20:00–21:00').waitFor();
});

test('key-values are typed as ranges and prefixes, and shown as they were typed', async () => {
  const { item } = await book();
  const { page } = desk.admin;
  await desk.admin.go(`#/line_items/${item.id}/edit`);
  await page.locator('#field-targeting-key-values-add').click();
  await page.getByLabel('Name 1').first().fill('years');
  await page.getByLabel('Values 1, separated by commas').first().fill('18..34, 65.., sport*, "a*"');
  await save();
  await page.getByText('years: a*, 18 to 34, 65 and more, sport…').or(page.getByText('years: 18 to 34, 65 and more, sport…, a*')).waitFor();
  const { targeting } = (await desk.api('GET', `/line_items/${item.id}`)) as unknown as { targeting: { key_values: object } };
  expect(targeting.key_values).toEqual({ years: [{ min: 18, max: 34 }, { min: 65 }, { prefix: 'sport' }, 'a*'] });
  await desk.admin.go(`#/line_items/${item.id}/edit`);
  expect(await page.getByLabel('Values 1, separated by commas').first().inputValue()).toBe('18..34, 65.., sport*, "a*"');
});

test('a targeting is a record of a publisher, and one that is used is not deleted', async () => {
  const { publisher, item } = await book();
  const { page } = desk.admin;
  await desk.admin.go(`#/targetings/new?publisher_id=${publisher.id}`);
  await page.locator('#field-name').fill('Sport, DACH');
  await page.locator('#field-targeting-urls').fill('gazette.example/sport');
  await save();
  await page.getByRole('heading', { level: 1, name: 'Sport, DACH' }).waitFor();
  const [targeting] = (await desk.api('GET', `/targetings?publisher_id=${publisher.id}`)) as unknown as [{ id: number }];
  expect(targeting).toMatchObject({ name: 'Sport, DACH', targeting: { urls: ['gazette.example/sport'] } });
  await desk.api('PATCH', `/line_items/${item.id}`, { targeting_id: targeting.id });
  await desk.admin.go('#/targetings');
  await page.getByText('Sport, DACH').first().waitFor();
});

test('the booking screen and the page of a line item hold all that a sales team books, at the widths of desks, tablets and phones', async () => {
  const { publisher, campaign, item } = await book();
  const { api, browser, replica } = desk;
  await api('PATCH', `/publishers/${publisher.id}`, { one_per_advertiser: true, time_zone: 'Europe/Berlin' });
  const shared = { publisher_id: publisher.id, name: 'Sport, DACH', targeting: { countries: ['DE', 'AT', 'CH'] } };
  const targeting = await api('POST', '/targetings', shared);
  await api('PATCH', `/campaigns/${campaign.id}`, { budget: 5_000, daily_budget: 250 });
  await api('PATCH', `/line_items/${item.id}`, {
    ...{ class: 'sponsorship', share_of_voice: 30, roadblock: true, list_price: 10, discount: 20, cpm: 8, pacing: 'Even' },
    ...{ daily_impression_cap: 5_000, frequency_cap: 3, frequency_window: 86_400, targeting_id: targeting.id },
    schedule: [
      { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '06:30', to: '09:00' },
      { days: ['sat', 'sun'], from: '10:00', to: '24:00' },
    ],
    frequency_caps: [
      { scope: 'line_item', impressions: 1, window: 600 },
      { scope: 'campaign', impressions: 5, window: 604_800 },
      { scope: 'advertiser', impressions: 20, window: null },
      { scope: 'line_item', clicks: 1, window: 2_592_000 },
    ],
    targeting: {
      ...{ languages: ['de'], browsers: ['firefox', 'chrome'], os: ['ios'], connection: ['wifi'], urls: ['gazette.example/sport'] },
      ...{
        referrers: ['search.example'],
        audiences: ['readers'],
        key_values: { years: [{ min: 18, max: 34 }], topic: [{ prefix: 'foot' }] },
      },
      exclude: { countries: ['LI'], audiences: ['customers'], urls: ['gazette.example/sport/obituaries'] },
    },
  });
  for (const width of [1440, 768, 390])
    for (const scheme of ['light', 'dark'] as const) {
      const looked = await openAdmin(browser, replica, { width, scheme });
      const { page } = looked;
      await looked.go(`#/campaigns/${campaign.id}/book`);
      await page.locator('.desk-group-head').first().waitFor();
      await shoot(page, `sales-desk-${width}-${scheme}`);
      for (const label of ['What', 'When', 'Who', 'How much', 'How fast']) {
        await page.locator('.desk-group-head', { hasText: label }).first().click();
        const more = page.locator('.desk-group.open .desk-more button');
        if ((await more.count()) > 0) await more.first().click();
        if (label === 'Who') await page.getByText('Excluded: Section').first().waitFor();
        await shoot(page, `sales-desk-${label.toLowerCase().replace(' ', '-')}-${width}-${scheme}`);
      }
      await loadAxe(page);
      expect(await violationsOf(page)).toEqual([]);
      expect(await beyondOf(page)).toEqual([]);
      await looked.go(`#/line_items/${item.id}`);
      for (const words of [
        'It serves Mon, Tue, Wed, Thu, Fri 06:30–09:00; Sat, Sun 10:00–24:00',
        'It gets 30% of the requests that it could serve, before all others.',
        'It is shown on all placements of its creatives together, or on none of them.',
        'of “Sport, DACH”',
      ])
        await page.getByText(words).first().waitFor();
      expect(await beyondOf(page)).toEqual([]);
      await shoot(page, `sales-item-${width}-${scheme}`);
      await looked.close();
    }
});
