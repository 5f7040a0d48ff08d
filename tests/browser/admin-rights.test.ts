import type { Browser, Page } from 'playwright-core';
import type { RoleName } from '../../src/access/permissions.ts';
import { apiOf as apiAt, type ApiCall } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { shootWidths } from './setup/shoot.ts';
import { FLIGHT, openAdmin, type AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let machine: ApiCall;
let gazette: number;
let other: number;
let campaign: number;
let item: number;
let creative: number;
let advertiser: number;
let paid: number;
let paidItem: number;

const create = async (path: string, body: object): Promise<number> => {
  const answer = await machine('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id as number;
};

beforeAll(async () => {
  browser = await startBrowser();
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `machine:${MACHINE}` },
  });
  machine = callWith(replica.url, MACHINE);
  gazette = await create('/publishers', { name: 'The Gazette', domain: 'gazette.example', creative_approval: 'required' });
  other = await create('/publishers', { name: 'Another House', domain: 'other.example' });
  await machine('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'], publisher_id: gazette });
  await machine('POST', '/placements', { id: 'shared', width: 300, height: 250, formats: ['html'], publisher_id: null });
  campaign = await create('/campaigns', { publisher_id: gazette, name: 'Boots', ...FLIGHT });
  await create('/campaigns', { publisher_id: other, name: 'Not theirs', ...FLIGHT });
  item = await create('/line_items', { campaign_id: campaign, name: 'Readers', active: true, cpm: 2, ...FLIGHT });
  advertiser = await create('/advertisers', { name: 'Boots of the North' });
  paid = await create('/campaigns', { publisher_id: gazette, advertiser_id: advertiser, name: 'Paid', ...FLIGHT });
  paidItem = await create('/line_items', { campaign_id: paid, name: 'Of the agency', active: true, cpm: 2, ...FLIGHT });
  creative = await create('/creatives', {
    line_item_id: item,
    placement_id: 'top',
    format: 'html',
    content: '<b>x</b>',
    status: 'pending',
  });
});

/** The page of who has a new token, with these rights. */
const openAs = async (
  name: string,
  roles: readonly RoleName[],
  publishers: number[] | null,
  advertisers: number[] | null = null,
): Promise<AdminPage> => {
  const token = await tokenOf(machine, name, roles, publishers, advertisers);
  const admin = await openAdmin(browser, replica);
  await admin.page.goto(`${replica.url}/static/sign-in.html`);
  await admin.page.evaluate((given) => sessionStorage.setItem('admin-token', given), token);
  return admin;
};
const navigation = (page: Page) => page.locator('.sidebar .nav-group:not(.person-menu) li').allInnerTexts();
const buttons = (page: Page) => page.locator('main :is(button, a[role=button]):visible').allInnerTexts();
/** Every screen that the navigation and the palette do not lead to; each says so. */
const closedScreens = async ({ page, turn }: AdminPage, hashes: readonly string[]): Promise<readonly string[]> => {
  const closed: string[] = [];
  for (const hash of hashes) {
    await turn(hash);
    if (await page.getByText('Your role does not include this').isVisible()) closed.push(hash);
  }
  return closed;
};

test('a viewer sees records, deliveries and reports, and no button or form that changes anything', async () => {
  const viewer = await openAs('viewer', ['viewer'], null);
  const { page } = viewer;
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(answer.url());
  });
  await viewer.go('#/overview');
  expect(await navigation(page)).toEqual([
    ...[
      'Home',
      'Timeline',
      'Availability',
      'Reports',
      'Publishers',
      'Placements',
      'Advertisers',
      'Bidders',
      'Targetings',
      'Campaigns',
      'Line items',
      'Creatives',
      'Files',
    ],
    ...['Test an ad', 'Alerts', 'Complaints', 'API', 'Help'],
  ]);
  await page.locator('.person-menu').getByText('token:viewer').waitFor();
  await shootWidths(page, 'rights-viewer-home');
  expect(await closedScreens(viewer, ['#/finance', '#/history', '#/campaigns/new', '#/publishers/new', '#/campaigns'])).toEqual([
    ...['#/finance', '#/history', '#/campaigns/new', '#/publishers/new'],
  ]);
  await viewer.turn('#/finance');
  await shootWidths(page, 'rights-viewer-finance');

  await viewer.turn(`#/campaigns/${campaign}`);
  await page.getByRole('link', { name: 'Readers' }).waitFor();
  expect(await buttons(page)).toEqual(['Settings', 'CSV']);
  await shootWidths(page, 'rights-viewer-campaign');
  await viewer.turn(`#/line_items/${item}`);
  await page.getByText('Lost today').waitFor();
  expect(await buttons(page)).toEqual(['Settings', 'Why can it not serve?']);
  await viewer.turn('#/line_items');
  await page.getByRole('link', { name: 'Readers' }).waitFor();
  expect(await page.locator('.in-place, td.check, a[role=button]').count()).toBe(0);
  await page.locator('.row-menu summary').first().click();
  expect(await page.locator('.menu-panel').first().locator('a, button').allInnerTexts()).toEqual(['Settings']);

  await viewer.turn(`#/publishers/${gazette}`);
  await page.getByText('You may read this publisher').waitFor();
  expect(await page.locator('#field-name').isDisabled()).toBe(true);
  expect(await page.locator('.save-bar').count()).toBe(0);
  expect((await buttons(page)).filter((label) => /Save|Delete|Duplicate|Archive|Replace/.test(label))).toEqual([]);
  await shootWidths(page, 'rights-viewer-form');
  await viewer.turn(`#/creatives/${creative}`);
  await page.getByRole('heading', { name: 'State' }).waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject|Block/ }).count()).toBe(0);
  for (const hash of ['#/reports', '#/files', '#/alerts', '#/complaints', '#/timeline', '#/test']) await viewer.turn(hash);
  await page.waitForLoadState('networkidle');
  expect(refused).toEqual([]);
  expect(viewer.troubles).toEqual([]);
});

test('a trafficker for one publisher works on its bookings, and sees no people of staff and nothing of another publisher', async () => {
  const trafficker = await openAs('gazette desk', ['trafficker'], [gazette]);
  const { page } = trafficker;
  await trafficker.go('#/campaigns');
  await page.getByRole('link', { name: 'Boots' }).first().waitFor();
  expect(await navigation(page)).not.toContain('Finance');
  await page.getByText('Add a campaign').waitFor();
  for (const hash of ['#/campaigns', '#/publishers', '#/line_items', '#/history', '#/timeline']) {
    await trafficker.turn(hash);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').innerText()).not.toMatch(/Not theirs|Another House/);
  }
  expect(await closedScreens(trafficker, ['#/tokens/new', '#/publishers/new', '#/advertisers/new', '#/campaigns/new'])).toEqual([
    ...['#/tokens/new', '#/publishers/new', '#/advertisers/new'],
  ]);
  await trafficker.turn('#/people');
  await page.getByText('No people of your advertisers yet.').waitFor();
  await trafficker.turn('#/people/new');
  expect(await page.getByRole('checkbox').count()).toBe(1);
  expect(await page.getByRole('checkbox', { name: /^Advertiser/ }).isChecked()).toBe(true);
  // A placement that is open to all publishers is not theirs to change.
  await trafficker.turn('#/placements/shared');
  await page.getByText('You may read this placement').waitFor();
  await trafficker.turn('#/placements/top');
  await page.locator('.save-bar button[type=submit]').waitFor();
  await trafficker.turn(`#/line_items/${item}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('“Readers” is paused.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It is as before.').waitFor();
  expect(trafficker.troubles).toEqual([]);
});

test('an approver approves creatives and changes nothing else', async () => {
  const approver = await openAs('approver', ['approver'], [gazette]);
  const { page } = approver;
  await approver.go(`#/creatives/${creative}`);
  await page.getByText('You may read this creative').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText(`Creative ${creative} is approved.`).waitFor();
  expect((await machine('GET', `/creatives/${creative}`)).body.status).toBe('approved');
  expect((await apiAt(replica.url)('GET', `/creatives/${creative}`)).status).toBe(401);
  expect(approver.troubles).toEqual([]);
});

test('who signs in for an advertiser sees its bookings, corrects creatives and comments, and asks for nothing that is refused', async () => {
  const agency = await openAs('agency', ['advertiser'], [gazette], [advertiser]);
  const { page } = agency;
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await agency.go('#/overview');
  await page.waitForLoadState('networkidle');
  expect(await navigation(page)).not.toContain('People');
  await shootWidths(page, 'rights-advertiser-home');
  await agency.turn(`#/campaigns/${paid}`);
  await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
  expect((await buttons(page)).filter((label) => /Pause|Delete|Duplicate|Archive/.test(label))).toEqual([]);
  await shootWidths(page, 'rights-advertiser-campaign');
  await agency.turn(`#/line_items/${paidItem}`);
  await page
    .getByRole('link', { name: 'Add a creative' })
    .or(page.getByRole('button', { name: 'Add a creative' }))
    .first()
    .waitFor();
  for (const hash of ['#/campaigns', '#/line_items', '#/creatives', '#/reports', '#/timeline']) {
    await agency.turn(hash);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').innerText()).not.toMatch(/Not theirs|Boots(?! of the North)|Another House/);
  }
  expect(refused).toEqual([]);
  expect(agency.troubles).toEqual([]);
});

test('a token is put away from the navigation, and the page leads to the sign-in', async () => {
  const admin = await openAs('put away', ['viewer'], null);
  await admin.go('#/overview');
  await admin.page.getByRole('button', { name: 'Stop using the token' }).click();
  await admin.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(await admin.page.evaluate(() => sessionStorage.length)).toBe(0);
});
