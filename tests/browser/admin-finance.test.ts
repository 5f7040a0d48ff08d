import type { Browser } from 'playwright-core';
import { withKnex } from '../../testkit/book.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, type Booked } from '../api/api-client.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { shoot } from './setup/shoot.ts';
import { openAdmin, type PageLook } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let booked: Booked;
let fee: Booked;

/** A day of this month or, by `month`, of a later one. */
const dayIn = (month: number, day: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, day)).toISOString().slice(0, 10);
};

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  [browser, replica] = await Promise.all([
    startBrowser(),
    startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), SMTP_URL: 'smtp://127.0.0.1:1' } }),
  ]);
  const api = apiOf(replica.url);
  booked = await book(api, 'sport', { name: 'Boots, sport readers' });
  fee = await book(api, 'fee', { budget_type: 'Flat', budget: 1_000, cpm: undefined, start_date: dayIn(0, 1), end_date: dayIn(2, 7) });
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots of the North' })).body.id;
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser, name: 'Boots, autumn' });
  await withKnex(databaseUrl, async (knex) => {
    const of = {
      publisher_id: booked.publisher.id,
      campaign_id: booked.campaign,
      line_item_id: booked.lineItem,
      creative_id: booked.creative,
    };
    await knex('report_days').insert({
      ...{ day: '2026-03-10', ...of, placement_id: booked.placement, reason: '' },
      ...{ impressions: 58_100, clicks: 290, spend_micros: 145_250_001 },
    });
    const line = { entity: 'line_item', entity_id: String(booked.lineItem), publisher_id: booked.publisher.id };
    await knex('alerts').insert([
      { ...line, kind: 'under_delivery', words: '“Boots, sport readers” is 32% behind: 6,800 of 10,000 impressions that are due by now.' },
      { ...line, kind: 'ends_soon', words: '“Boots, sport readers” ends in 2 days, with 2026-11-24.' },
      {
        ...line,
        kind: 'budget_spent',
        words: '“Hats” has spent its budget of $10.00 and does not serve any more.',
        closed_at: knex.fn.now(),
      },
    ]);
  });
});

const LOOKS: readonly (readonly [string, PageLook])[] = [
  ['1280-light', { width: 1280, height: 900, scheme: 'light' }],
  ['390-dark', { width: 390, height: 844, scheme: 'dark' }],
];

test.each(LOOKS)('at %s a month is shown by advertiser', async (name, look) => {
  const admin = await openAdmin(browser, replica, look);
  const { page } = admin;
  await admin.go(`#/finance?publisher_id=${booked.publisher.id}&month=2026-03`);
  await page.getByRole('table', { name: 'Revenue by advertiser' }).getByText('$145.25', { exact: true }).first().waitFor();
  await page.locator('tbody tr').first().hover();
  await page.getByText('$145.250001').first().waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `finance-${name}`);
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test.each(LOOKS)('at %s an open month says up to which day its revenue is, and shows the fee of days to come apart', async (name, look) => {
  const admin = await openAdmin(browser, replica, look);
  const { page } = admin;
  await admin.go(`#/finance?publisher_id=${fee.publisher.id}&month=${dayIn(0, 1).slice(0, 7)}`);
  await page.getByText(/Revenue is to date, up to the end of .*, as in a report of these days\./).waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `finance-open-${name}`);
  await admin.go(`#/finance?publisher_id=${fee.publisher.id}&month=${dayIn(1, 1).slice(0, 7)}`);
  await page.getByText('The month has not begun. The fee still to come is for its days and is not in the revenue.').waitFor();
  await page
    .getByRole('table', { name: 'Revenue by advertiser' })
    .getByRole('columnheader', { name: 'Fee still to come', includeHidden: true })
    .waitFor({ state: 'attached' });
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test.each(LOOKS)('at %s a change of who pays is said in words, in the statement, a report and the history', async (name, look) => {
  const api = apiOf(replica.url);
  const [hats, coats] = [`Hats ${name}`, `Coats ${name}`];
  for (const payer of [hats, coats]) {
    const { id } = (await api('POST', '/advertisers', { name: payer })).body;
    await api('PATCH', `/campaigns/${fee.campaign}`, { advertiser_id: id });
  }
  const admin = await openAdmin(browser, replica, look);
  const { page } = admin;
  const words = new RegExp(`Autumn: ${coats} pays since [^]*${hats}\\s+before. What was counted before\\s+stays there.`);
  await admin.go(`#/finance?publisher_id=${fee.publisher.id}&month=${dayIn(0, 1).slice(0, 7)}`);
  await page.getByText(words).waitFor();
  await page.getByRole('table', { name: 'By campaign' }).getByText(coats).first().waitFor({ state: 'attached' });
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `finance-payers-${name}`);
  await admin.go(`#/reports?group_by=advertiser&metrics=revenue&filter[publisher]=${fee.publisher.id}&range=this_month`);
  await page.getByText(words).waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `report-payers-${name}`);
  await admin.go('#/history');
  await page
    .getByText(/What was counted before .* stays with advertiser \d+\./)
    .first()
    .waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `history-payers-${name}`);
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test('a month is closed after a question, and stays closed', async () => {
  const admin = await openAdmin(browser, replica, { width: 1280, height: 900 });
  const { page } = admin;
  await admin.go(`#/finance?publisher_id=${booked.publisher.id}&month=2026-03`);
  const open = page.getByRole('list', { name: 'Months that are over and not closed' });
  await open.getByRole('link', { name: 'March 2026' }).waitFor();
  await page.getByRole('button', { name: 'Close the month' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close the month' }).click();
  await page.getByText(/Closed on .* UTC by anonymous/).waitFor();
  expect(await page.getByRole('button', { name: 'Close the month' }).count()).toBe(0);
  await open.waitFor({ state: 'detached' });
  await shoot(page, 'finance-closed');
  await admin.close();
});

test.each(LOOKS)('at %s alerts lead to what they are about, can be muted, and are sent to recipients', async (name, look) => {
  const admin = await openAdmin(browser, replica, look);
  const { page } = admin;
  await admin.go('#/alerts');
  const open = page.getByRole('table', { name: 'Open alerts' });
  const link = open.getByRole('row', { name: /32% behind/ }).getByRole('link');
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe(`#/line_items/${booked.lineItem}`);
  await page.getByRole('table', { name: 'Closed alerts' }).getByRole('link', { name: 'Hats' }).waitFor();
  expect(await beyondOf(page)).toEqual([]);
  await shoot(page, `alerts-${name}`);

  await open
    .getByRole('row', { name: /ends in 2 days/ })
    .getByRole('button', { name: 'Mute for a week: ' })
    .click();
  await page.getByRole('table', { name: 'Muted alerts' }).getByText('ends in 2 days').waitFor();
  await page.getByRole('button', { name: 'Unmute Ends soon' }).click();
  await open.getByText('ends in 2 days').waitFor();

  await page.getByRole('button', { name: 'Send them to…' }).click();
  await page.getByLabel('E-mail addresses').fill('not an address');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('E-mail addresses: must be an e-mail address').waitFor();
  await page.getByLabel('E-mail addresses').fill('sales@gazette.example');
  await page.getByRole('button', { name: 'Drift' }).click();
  await shoot(page, `alerts-form-${name}`);
  await page.getByRole('button', { name: 'Save' }).click();
  const recipients = page.getByRole('table', { name: 'Recipients of alerts' });
  await recipients.getByText('Behind, Will fall short, Ends soon, Budget spent, Complaints, Waits for approval', { exact: true }).waitFor();
  await recipients.getByRole('button', { name: 'Delete sales@gazette.example' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await recipients.waitFor({ state: 'detached' });
  expect(admin.troubles).toEqual([]);
  await admin.close();
});
