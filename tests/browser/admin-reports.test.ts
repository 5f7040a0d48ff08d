import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { createCountedStore } from '../events/counted-store.ts';
import { withKnex } from '../../testkit/book.ts';
import { eventOf } from '../events/events.ts';
import type { Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica } from '../setup/start-replica.ts';
import { apiOf as callsOf, book, type ApiCall, type Booked } from '../api/api-client.ts';
import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { shoot, shootWidths } from './setup/shoot.ts';
import { openAdmin, pick, type PageLook } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

const DAY_MS = 86_400_000;

let browser: Browser;
let replica: Replica;
let api: ApiCall;
let sport: Booked;
let coffee: Booked;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  [browser, replica] = await Promise.all([
    startBrowser(),
    startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), SMTP_URL: 'smtp://127.0.0.1:1' } }),
  ]);
  api = callsOf(replica.url);
  [sport, coffee] = [await book(api, 'sport', { name: 'Boots, sport readers' }), await book(api, 'front', { name: 'Coffee, mornings' })];
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots of the North' })).body.id;
  await api('PATCH', `/campaigns/${sport.campaign}`, { advertiser_id: advertiser, name: 'Boots, autumn' });
  await api('PATCH', `/campaigns/${coffee.campaign}`, { name: 'Coffee, winter' });
  await withKnex(databaseUrl, async (knex) => {
    // Of 2026-06-15.
    await createCountedStore({ knex }).append([eventOf()]);
    for (const [n, booked] of [sport, coffee].entries())
      for (let ago = 0; ago < 30; ago++) {
        const impressions = Math.round((n + 1) * 1000 * (1 + 0.4 * Math.sin(ago / 2)));
        const day = new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
        const ids = { publisher_id: booked.publisher.id, campaign_id: booked.campaign, line_item_id: booked.lineItem };
        const row = { day, ...ids, creative_id: booked.creative, placement_id: booked.placement };
        await knex('report_days').insert([
          {
            ...row,
            reason: '',
            serves: impressions + 90,
            impressions,
            clicks: Math.round(impressions / 150),
            viewable: impressions >> 1,
            spend_micros: impressions * 2500,
          },
          { ...row, reason: 'spider', impressions: 40 },
        ]);
        await knex('report_devices').insert([{ day, ...ids, device: 'mobile', browser: 'Firefox', reason: '', impressions }]);
      }
  });
});

const reportTable = (page: Page) => page.getByRole('table', { name: 'Report', exact: true });
const rows = async (page: Page): Promise<readonly string[]> => reportTable(page).getByRole('row').allInnerTexts();
const choice = (page: Page, name: string) => page.getByRole('group', { name: 'Rows' }).getByRole('button', { name, exact: true });
const settled = (page: Page) => page.locator('.report-result[aria-busy="false"]').waitFor();

const LOOKS: readonly (readonly [string, PageLook])[] = [
  ['1280-light', { width: 1280, height: 900, scheme: 'light' }],
  ['1280-dark', { width: 1280, height: 900, scheme: 'dark' }],
  ['390-light', { width: 390, height: 844, scheme: 'light' }],
  ['390-dark', { width: 390, height: 844, scheme: 'dark' }],
];

test.each(LOOKS)('at %s the table and the chart follow each choice, and the address keeps it', async (name, look) => {
  const admin = await openAdmin(browser, replica, look);
  const { page } = admin;
  await admin.go('#/reports');
  await settled(page);
  expect((await rows(page))[1]).toContain('All');
  await page.locator('ad-chart').waitFor();
  await shoot(page, `reports-${name}`);

  await choice(page, 'Campaign').click();
  await choice(page, 'Day').click();
  await page.waitForFunction(() => document.querySelectorAll('.report-table tbody tr').length === 3);
  const shown = await rows(page);
  const total = shown.slice(2).reduce((sum, row) => sum + Number(/([\d,]{5,})/.exec(row)?.[1]?.replaceAll(',', '')), 0);
  expect(shown[1]).toContain(total.toLocaleString('en'));
  await shoot(page, `reports-campaigns-${name}`);

  await reportTable(page).getByRole('button', { name: 'Boots, autumn' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.report-table tbody tr').length === 2);
  expect(decodeURIComponent(new URL(page.url()).hash)).toContain(`filter[campaign]=${sport.campaign}`);
  // Countries do not combine with devices: the button says so before anything fails.
  await choice(page, 'Device').click();
  await reportTable(page).getByText('mobile').waitFor();
  expect(await choice(page, 'Country').isDisabled()).toBe(true);
  await page.reload();
  await settled(page);
  expect((await rows(page)).join()).toContain('mobile');
  expect(await beyondOf(page)).toEqual([]);
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

test('a report without figures says so, one that is refused says why, and files are saved', async () => {
  const admin = await openAdmin(browser, replica, { width: 1280, height: 900 });
  const { page } = admin;
  await admin.go(`#/reports?group_by=day&metrics=impressions&from=2020-01-01&to=2020-01-02`);
  await page.getByText('Nothing was counted in these days').waitFor();
  await shoot(page, 'reports-empty');
  await admin.turn('#/reports?group_by=day&metrics=impressions&from=2020-01-01&to=2026-01-02');
  await page.getByText('must be at most 400 days before the end').waitFor();
  await shoot(page, 'reports-refused');
  await admin.turn('#/reports?group_by=campaign&metrics=impressions');
  await settled(page);
  for (const format of ['CSV', 'Excel']) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: format, exact: true }).click()]);
    expect(file.suggestedFilename()).toBe(format === 'CSV' ? 'report.csv' : 'report.xlsx');
  }
  await admin.close();
});

test('the events of a day are saved as CSV or Parquet, and a day without events says so', async () => {
  const admin = await openAdmin(browser, replica, { width: 390, height: 844 });
  const { page } = admin;
  await admin.go('#/reports');
  await settled(page);
  await page.getByRole('button', { name: 'Raw events' }).click();
  const saveButton = page.getByRole('button', { name: 'Save the file' });
  await page.getByLabel('Day', { exact: true }).fill('2026-06-14');
  await saveButton.click();
  await page.getByText('No events of 2026-06-14 are stored').waitFor();
  await page.getByLabel('Day', { exact: true }).fill('2026-06-15');
  for (const format of ['csv', 'parquet']) {
    await page.getByLabel('Format').selectOption(format);
    const [file] = await Promise.all([page.waitForEvent('download'), saveButton.click()]);
    expect(file.suggestedFilename()).toBe(`events_2026-06-15.${format}`);
    const bytes = await readFile(await file.path());
    if (format === 'csv') expect(bytes.toString()).toMatch(/^day,counted_at,.*\r\n2026-06-15,.*,impression,/);
    else expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
  }
  await shoot(page, 'reports-raw-390');
  await admin.close();
});

test('a report is saved with a schedule, opened again, and shared with an advertiser as a link that shows no other figures', async () => {
  const admin = await openAdmin(browser, replica, { width: 1280, height: 900 });
  const { page } = admin;
  await admin.go('#/reports?group_by=campaign&metrics=impressions,clicks,revenue&range=last_7_days');
  await settled(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill('Campaigns of the week');
  await page.getByLabel('Send', { exact: true }).selectOption('week');
  await page.getByLabel('E-mail addresses').fill('not an address');
  await page.locator('.save-report').getByRole('button', { name: 'Save' }).click();
  await page.getByText('E-mail addresses: must be an e-mail address').waitFor();
  await page.getByLabel('E-mail addresses').fill('sales@gazette.example');
  await shoot(page, 'reports-save');
  await page.locator('.save-report').getByRole('button', { name: 'Save' }).click();
  const saved = page.getByRole('table', { name: 'Saved reports' });
  await saved.getByText('Mondays, 07:00').waitFor();
  await shoot(page, 'reports-saved');
  await admin.turn('#/reports');
  await settled(page);
  await saved.getByRole('button', { name: 'Campaigns of the week', exact: true }).click();
  await reportTable(page).getByRole('button', { name: 'Coffee, winter' }).waitFor();

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await pick(page.getByRole('combobox', { name: 'Advertiser', exact: true }), 'Boots of the North');
  await page.getByRole('button', { name: 'Create the link' }).click();
  const link = await page.locator('#shared-link').innerText();
  await shoot(page, 'reports-link');
  await page.getByRole('button', { name: 'I have copied it' }).click();

  for (const [name, { width, scheme }] of [
    ['shared-1280-light', { width: 1280, scheme: 'light' }],
    ['shared-390-dark', { width: 390, scheme: 'dark' }],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
    const shared = await context.newPage();
    await shared.goto(link);
    await shared.getByRole('heading', { name: 'Boots of the North' }).waitFor();
    await shared.getByRole('cell', { name: 'Boots, autumn' }).waitFor();
    await shared.getByRole('heading', { name: 'Boots, autumn' }).waitFor();
    await shared.getByRole('img', { name: /^Impressions a day/ }).waitFor();
    await shared.frameLocator('.creative iframe').getByText('ad', { exact: true }).waitFor();
    expect(await shared.locator('#publishers').innerText()).toBe('The Gazette');
    expect(await shared.locator('#figures').innerText()).toMatch(/Revenue\s+\$[\d,]+\.\d\d/);
    await loadAxe(shared);
    expect(await violationsOf(shared)).toEqual([]);
    expect(await shared.getByRole('table').innerText()).not.toContain('Coffee');
    expect(await beyondOf(shared)).toEqual([]);
    await shoot(shared, name);
    await shared.goto('about:blank');
    await shared.goto(`${link.slice(0, -3)}xyz`);
    await shared.getByText('The link has ended or is not valid').waitFor();
    await context.close();
  }

  await page.getByRole('button', { name: 'Shared links' }).click();
  const row = page.getByRole('table', { name: 'Links to reports' }).getByRole('row').filter({ hasText: 'Boots of the North' });
  await row.getByText('anonymous').waitFor();
  expect(await row.innerText()).not.toContain('never');
  await shootWidths(page, 'reports-shared-links');
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('revoked').waitFor();
  const reader = await browser.newPage();
  await reader.goto(link);
  await reader.getByText('The link has ended or is not valid').waitFor();
  await reader.close();
  expect(admin.troubles).toEqual([]);
  await admin.close();
});
