import { FLIGHT, pick } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

const desk = useAdmin();

test('a campaign of an advertiser is paused, archived and restored, and a pending creative is approved', async () => {
  const { api, admin } = desk;
  const publisher = await api('POST', '/publishers', { name: 'Gazette', domain: 'gazette.example', creative_approval: 'required' });
  await api('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'] });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Spring', ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Site', active: true, cpm: 1, ...FLIGHT });
  const creative = await api('POST', '/creatives', {
    placement_id: 'top',
    line_item_id: item.id,
    format: 'html',
    content: 'ad',
    name: 'Red',
  });

  const { page } = admin;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await admin.go('#/advertisers/new');
  await page.getByLabel('Name').fill('Boots');
  await page.getByLabel('Domain').fill('not a host');
  await button('Create advertiser').click();
  await page.getByText('Domain must be a host name, such as boots.example').first().waitFor();
  await page.getByLabel('Domain').fill('boots.example');
  await button('Create advertiser').click();
  await page.getByRole('heading', { level: 1, name: 'Boots' }).waitFor();

  await admin.turn(`#/campaigns/${campaign.id}/edit`);
  await pick(page.getByLabel('Advertiser'), 'Boots');
  await button('Save').click();
  await page.getByRole('link', { name: 'Boots' }).waitFor();
  await button('Pause').click();
  await button('Resume').waitFor();
  await page.locator('.page-head .pill', { hasText: 'paused' }).waitFor();
  await button('Archive').click();
  await page.getByRole('heading', { level: 1, name: 'Campaigns', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Spring' }).count()).toBe(0);
  expect(await api('GET', `/campaigns/${campaign.id}`)).toMatchObject({ active: false, archived: true });

  await admin.turn('#/line_items?archived=1');
  await page.locator('td .pill', { hasText: 'archived' }).waitFor();
  await page.getByRole('link', { name: 'Archived with its campaign Site' }).click();
  await button('Restore').waitFor();
  await page.getByText('Its line items are archived with it.').waitFor();

  await admin.turn('#/campaigns');
  await page.getByRole('link', { name: 'Archived campaigns' }).click();
  await button('Restore Spring').click();
  await page.getByText('Nothing is archived.').waitFor();
  expect(await api('GET', `/campaigns/${campaign.id}`)).toMatchObject({ archived: false });

  await admin.turn(`#/creatives/${creative.id}`);
  await page.getByRole('heading', { level: 1, name: 'Red' }).waitFor();
  await button('Approve').click();
  await page.locator('.pill', { hasText: 'live' }).waitFor();
  expect(await api('GET', `/creatives/${creative.id}`)).toMatchObject({ status: 'approved' });
});

test('a placement blocks advertisers by their names and labels, and the line item says that it cannot serve', async () => {
  const { api, admin } = desk;
  const publisher = await api('POST', '/publishers', { name: 'Careful', domain: 'careful.example' });
  await api('POST', '/placements', { id: 'kids', publisher_id: publisher.id, width: 300, height: 250, formats: ['html'] });
  const casino = await api('POST', '/advertisers', { name: 'Casino' });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, advertiser_id: casino.id, name: 'Dice', ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Dice', active: true, cpm: 1, ...FLIGHT });
  await api('POST', '/creatives', { placement_id: 'kids', line_item_id: item.id, format: 'html', content: 'dice' });

  const { page, go, turn } = admin;
  await go('#/placements/kids/edit');
  await page.getByRole('group', { name: 'Advertisers', exact: true }).getByText('Casino').click();
  await page.getByLabel('Advertisers with a label').fill('gambling');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('“kids” was saved').waitFor();
  expect(await api('GET', '/placements/kids')).toMatchObject({
    blocked_advertiser_ids: [casino.id],
    blocked_advertiser_labels: ['gambling'],
  });
  await turn(`#/line_items/${item.id}`);
  await page.getByText('the placement blocks the advertiser').first().waitFor();
});
