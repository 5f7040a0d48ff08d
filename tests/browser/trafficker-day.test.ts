import { withClient } from '../../testkit/databases.ts';
import { shootWidths } from './setup/shoot.ts';
import { FLIGHT } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

let sponsor: number;
let boots: number;
let coats: number;
let creative: number;

const desk = useAdmin(async ({ api, databaseUrl }) => {
  const publisher = await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  await api('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Winter', ...FLIGHT });
  const book = async (name: string, fields: object) => {
    const { id } = await api('POST', '/line_items', { campaign_id: campaign.id, name, active: true, ...FLIGHT, ...fields });
    const ad = { line_item_id: id, placement_id: 'top', format: 'html', content: `<b>${name}</b>`, name: `${name}, red` };
    creative = (await api('POST', '/creatives', ad)).id;
    return id;
  };
  sponsor = await book('Sponsor', { cpm: 8, priority: 1 });
  boots = await book('Boots', { cpm: 5, priority: 1 });
  coats = await book('Coats', { cpm: 3 });
  const hour = new Date(Date.now() - (Date.now() % 3_600_000)).toISOString();
  await withClient(databaseUrl, (client) =>
    client.query('insert into refusals (line_item_id, hour, reason, outranked_by, impressions) values ($1, $2, 0, $3, 640)', [
      boots,
      hour,
      sponsor,
    ]),
  );
});

test('a trafficker finds what does not deliver, mends it, changes prices together, settles a conflict, and takes mistakes back', async () => {
  const { admin, api } = desk;
  const { page } = admin;
  const item = (id: number) => api('GET', `/line_items/${id}`);

  // In the morning: home names the line item that wins nothing, and its page the price that would.
  await admin.go('#/overview');
  const needy = page.locator('.needs li', { hasText: 'Boots' });
  await needy.getByText('it won none of 640 impressions in the last day').waitFor();
  await shootWidths(page, 'day-home');
  await needy.getByRole('link').first().click();
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Lost today' }) });
  await card.getByText('100% outranked').waitFor();
  await card.getByRole('button', { name: 'Raise the price to $8.01 CPM' }).click();
  await page.getByRole('button', { name: 'Change it' }).click();
  await page.locator('.toast', { hasText: 'done' }).waitFor();
  expect(await item(boots)).toMatchObject({ cpm: 8.01, priority: 1 });

  // Two prices at a time.
  await admin.turn('#/line_items');
  for (const name of ['Sponsor', 'Coats']) await page.getByLabel(`Choose ${name}`).check();
  await page.getByLabel('Price per thousand (CPM)').fill('7.50');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByText('2 line items changed.').waitFor();
  expect([(await item(sponsor))['cpm'], (await item(coats))['cpm']]).toEqual([7.5, 7.5]);

  // Someone else changes the same line item meanwhile.
  await admin.turn(`#/line_items/${coats}/edit`);
  await page.locator('#field-name').fill('Coats and hats');
  await page.locator('#field-daily-impression-cap').fill('500');
  await api('PATCH', `/line_items/${coats}`, { name: 'Warm coats', frequency_cap: 4 });
  const save = page.locator('.save-bar button[type=submit]');
  await save.click();
  const conflict = page.locator('.conflict').getByRole('group', { name: 'Name' });
  expect((await conflict.innerText()).replace(/\s+/g, ' ')).toBe('Name Yours: Coats and hats Theirs: Warm coats');
  await shootWidths(page, 'day-conflict');
  await conflict.getByText('Theirs').click();
  await save.click();
  await page.getByRole('heading', { level: 1, name: 'Warm coats' }).waitFor();
  expect(await item(coats)).toMatchObject({ name: 'Warm coats', daily_impression_cap: 500, frequency_cap: 4, cpm: 7.5 });

  // The price of the sponsor was a mistake.
  await admin.turn('#/history');
  await page.getByRole('button', { name: `Undo the change of ${sponsor}` }).click();
  await page.getByText(`Line item ${sponsor} is as before.`).waitFor();
  expect(await item(sponsor)).toMatchObject({ cpm: 8 });

  // So was a deletion: the question says what can be restored, and History does it.
  await admin.turn('#/creatives');
  await page.locator('summary[aria-label="Actions for Coats, red"]').click();
  await page.getByRole('button', { name: 'Delete Coats, red' }).click();
  const question = page.getByRole('dialog', { name: 'Delete creative “Coats, red”?' });
  await question.getByText('It can be restored from History.').waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Creative “Coats, red” was deleted.').waitFor();
  await admin.turn('#/history');
  await page.getByRole('button', { name: `Restore ${creative}` }).click();
  await page.getByText('Creative “Coats, red” is restored.').waitFor();
  const left = (await api('GET', `/creatives?line_item_id=${coats}`)) as unknown as { readonly name: string }[];
  expect(left.map(({ name }) => name)).toEqual(['Coats, red']);
});
