import { FLIGHT } from './setup/start-admin.ts';
import { shootSchemes } from './setup/shoot.ts';
import { useAdmin } from './setup/use-admin.ts';

const desk = useAdmin();

const bookIn = async (currency: string) => {
  const { api } = desk;
  const publisher = await api('POST', '/publishers', { name: `Gazette ${currency}`, domain: 'gazette.example', currency });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: `Boots ${currency}`, budget: 500, ...FLIGHT });
  const fields = { campaign_id: campaign.id, name: `Boots, ${currency}`, active: true, cpm: 2.5, roadblock: true, ...FLIGHT };
  const item = await api('POST', '/line_items', fields);
  return { publisher, campaign, item };
};

test('amounts are in the currency of their publisher: in lists, forms, on pages and in the booking', async () => {
  const { api, admin } = desk;
  const [dollars, euros] = [await bookIn('USD'), await bookIn('EUR')];
  await api('POST', '/placements', { id: 'lead', publisher_id: euros.publisher.id, width: 300, height: 250, formats: ['html'] });
  const creative = { line_item_id: euros.item.id, placement_id: 'lead', format: 'html', content: '<b>ad</b>', companion_set: 'A' };
  await api('POST', '/creatives', creative);
  const { page } = admin;
  const row = (name: string | undefined) => page.getByRole('row').filter({ hasText: name ?? '' });
  await admin.go('#/line_items');
  await row(euros.item.name).waitFor();
  expect(await row(euros.item.name).innerText()).toContain('€2.50 CPM');
  expect(await row(dollars.item.name).innerText()).toContain('$2.50 CPM');
  await shootSchemes(page, 'currency-list');
  await admin.go('#/campaigns');
  await row(euros.campaign.name).waitFor();
  expect(await row(euros.campaign.name).innerText()).toContain('€500.00');
  await admin.go(`#/line_items/${euros.item.id}`);
  await page.getByText('€2.50 CPM').first().waitFor();
  await shootSchemes(page, 'currency-item');
  await admin.go(`#/line_items/${euros.item.id}/edit`);
  await page.locator('#field-cpm').waitFor();
  expect(new Set(await page.locator('.affix').allInnerTexts())).toContain('€');
  expect(await page.locator('.affix').allInnerTexts()).not.toContain('$');
  await shootSchemes(page, 'currency-form');
  await admin.go(`#/campaigns/${euros.campaign.id}/book`);
  await page.locator('.desk-cost').waitFor();
  expect(await page.locator('.desk-cost').innerText()).toContain('€500.00');
  await page.getByLabel('Companion set').waitFor();
  expect(await page.getByLabel('Companion set').inputValue()).toBe('A');
  await shootSchemes(page, 'currency-desk');
  await admin.go(`#/publishers/${euros.publisher.id}/edit`);
  await page.locator('#field-currency').waitFor();
  await shootSchemes(page, 'currency-publisher');
  await page.locator('#field-currency').fill('CHF');
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByText('its campaigns are booked in EUR').first().waitFor();
  expect(admin.troubles).toEqual([]);
});
