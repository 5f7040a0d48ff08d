import type { Browser, Locator, Page } from 'playwright-core';
import { apiOf, type ApiCall } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { looksWrong } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import { FLIGHT, openAdmin, pick, type AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

const PASSWORD = 'a long enough pass phrase';
const CHIEF = 'chief@gazette.example';
const ANN = 'ann@gazette.example';

let browser: Browser;
let replica: Replica;
let api: ApiCall;
let gazette: number;
const opened: AdminPage[] = [];

/** A browser of its own for someone. */
const openFor = async (): Promise<AdminPage> => {
  const admin = await openAdmin(browser, replica);
  opened.push(admin);
  return admin;
};
const signIn = async ({ page }: AdminPage, email: string, password = PASSWORD): Promise<void> => {
  await page.goto(`${replica.url}/static/sign-in.html`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const save = ({ page }: AdminPage): Promise<void> => page.locator('.save-bar button[type=submit]').click();
const look = async (page: Page, name: string): Promise<void> => {
  await shootSchemes(page, name);
  expect(await looksWrong(page)).toEqual([]);
};
const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });

beforeAll(async () => {
  browser = await startBrowser();
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  // Nobody has an account yet, so the service is open.
  api = apiOf(replica.url);
  gazette = (await api('POST', '/publishers', { name: 'The Gazette', domain: 'gazette.example' })).body.id;
  const other = (await api('POST', '/publishers', { name: 'Another House', domain: 'other.example' })).body.id;
  await api('POST', '/campaigns', { publisher_id: gazette, name: 'Boots', ...FLIGHT });
  await api('POST', '/campaigns', { publisher_id: other, name: 'Not theirs', ...FLIGHT });
});
afterEach(async () => {
  for (const { troubles } of opened) expect(troubles).toEqual([]);
});

test('from the first start to a second person, who sees what the role may, and is out once disabled', async () => {
  const chief = await openFor();
  await chief.go('#/overview');
  expect(await chief.page.locator('.person-menu .person').count()).toBe(0);

  const [secret] = await replica.logged(/#adsl_[0-9a-f]{56}/);
  await chief.page.goto(`${replica.url}/static/sign-in.html${secret}`);
  await chief.page.getByLabel('E-mail address').fill(CHIEF);
  await chief.page.getByLabel('Your name').fill('Chief');
  await chief.page.getByLabel('New password').fill(PASSWORD);
  await chief.page.getByRole('button', { name: 'Create the account' }).click();
  await heading(chief.page, 'Home');
  await chief.page.locator('.person-menu').getByText(CHIEF).waitFor();

  await chief.page.getByRole('link', { name: 'People' }).click();
  await heading(chief.page, 'People');
  await rowOf(chief.page, 'Chief').waitFor();
  await look(chief.page, 'people-first');
  await chief.page.getByRole('button', { name: 'Invite a person' }).click();
  await heading(chief.page, 'Invite a person');
  await save(chief);
  await chief.page.getByText('Not saved: 3 fields to correct').waitFor();
  await look(chief.page, 'people-invite-faults');
  await chief.page.getByLabel('E-mail address').fill(ANN);
  await chief.page.locator('#field-name').fill('Ann');
  await chief.page.getByRole('checkbox', { name: /^Trafficker/ }).check();
  await pick(chief.page.locator('#field-publishers'), 'The Gazette');
  await save(chief);
  const dialog = chief.page.getByRole('dialog', { name: 'The link for Ann' });
  await dialog.waitFor();
  await dialog.getByText('it was not mailed').waitFor();
  await shootSchemes(chief.page, 'people-link');
  const link = await dialog.locator('#person-link').innerText();
  expect(link).toMatch(/\/static\/sign-in\.html#adsl_[0-9a-f]{56}$/);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await rowOf(chief.page, 'Ann').getByText('invited').waitFor();
  await rowOf(chief.page, 'Ann').getByText('The Gazette').waitFor();

  const ann = await openFor();
  await ann.page.goto(`${replica.url}/static/sign-in.html${new URL(link).hash}`);
  await heading(ann.page, 'Welcome, Ann');
  expect(await ann.page.getByLabel('E-mail address').inputValue()).toBe(ANN);
  await look(ann.page, 'people-invitation');
  await ann.page.getByLabel('New password').fill(PASSWORD);
  await ann.page.keyboard.press('Enter');
  await heading(ann.page, 'Home');
  await ann.turn('#/campaigns');
  await ann.page.getByRole('link', { name: 'Boots' }).waitFor();
  expect(await ann.page.locator('main').innerText()).not.toContain('Not theirs');
  expect(await ann.page.locator('.sidebar li').allInnerTexts()).not.toContain('Finance');
  await ann.page.getByText('Add a campaign').waitFor();
  await ann.turn('#/people');
  await ann.page.getByText('No people of your advertisers yet.').waitFor();
  expect(await ann.page.locator('main').innerText()).not.toContain('Chief');
  await ann.turn('#/finance');
  await ann.page.getByText('Your role does not include this').waitFor();
  await shootSchemes(ann.page, 'people-closed');

  await chief.page.reload();
  await chief.page.getByRole('link', { name: 'Ann', exact: true }).click();
  await heading(chief.page, 'Ann');
  await chief.page.getByText('Where they are signed in').waitFor();
  await chief.page.getByRole('row').filter({ hasText: 'Chrome on Linux' }).waitFor();
  await look(chief.page, 'people-person');
  await chief.page.getByRole('button', { name: 'Disable' }).click();
  await chief.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await chief.page.getByText('Ann is disabled.').waitFor();
  await chief.page.getByText('Nowhere.').waitFor();
  await ann.turn('#/line_items').catch(() => undefined);
  await heading(ann.page, 'Sign in');
  await signIn(ann, ANN);
  await ann.page.getByText('The e-mail address or the password is not right').waitFor();

  await chief.page.getByRole('button', { name: 'Enable' }).click();
  await chief.page.getByText('Ann may sign in again.').waitFor();
  await signIn(ann, ANN);
  await heading(ann.page, 'Home');
});

test('an administrator changes the rights of a person, which take effect with the next call', async () => {
  const [chief, ann] = [await openFor(), await openFor()];
  await signIn(chief, CHIEF);
  await heading(chief.page, 'Home');
  await signIn(ann, ANN);
  await heading(ann.page, 'Home');
  await chief.turn('#/people');
  await chief.page.getByRole('link', { name: 'Ann', exact: true }).click();
  await heading(chief.page, 'Ann');
  await chief.page.getByRole('checkbox', { name: /^Trafficker/ }).uncheck();
  await save(chief);
  await chief.page.getByText('Not saved: 1 field to correct').waitFor();
  await chief.page.getByRole('checkbox', { name: /^Viewer/ }).check();
  await chief.page.getByRole('button', { name: 'Remove The Gazette' }).click();
  await chief.page.getByLabel('Why, for the history').fill('Sie liest nur noch');
  await save(chief);
  await heading(chief.page, 'People');
  await rowOf(chief.page, 'Ann').getByText('viewer').waitFor();
  await chief.turn('#/history');
  const change = rowOf(chief.page, '“Sie liest nur noch”');
  await change.getByText('Chrome on Linux · 127.0.0.0/24').waitFor();
  await look(chief.page, 'people-history');
  await chief.turn('#/people');
  await ann.page.reload();
  await ann.turn('#/campaigns');
  await ann.page.getByRole('link', { name: 'Not theirs' }).waitFor();
  expect(await ann.page.getByText('Add a campaign').count()).toBe(0);
  // The last administrator stays one.
  await chief.page.getByRole('link', { name: 'Chief', exact: true }).click();
  await heading(chief.page, 'Chief');
  await chief.page.getByRole('button', { name: 'Disable' }).click();
  await chief.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await chief.page.getByText('This is the last administrator for all publishers').waitFor();
});

test('people change their name and their password, and end their sessions elsewhere', async () => {
  const [here, elsewhere] = [await openFor(), await openFor()];
  await signIn(here, ANN);
  await heading(here.page, 'Home');
  await signIn(elsewhere, ANN);
  await heading(elsewhere.page, 'Home');
  await here.page.getByRole('link', { name: 'Your account' }).click();
  await heading(here.page, 'Your account');
  await here.page.getByText('this one').waitFor();
  await here.page.getByRole('heading', { name: 'Password' }).waitFor();
  await look(here.page, 'account');
  await here.page.getByLabel('Your name').fill('Ann Example');
  await here.page.getByLabel('Your name').press('Enter');
  await here.page.locator('.person-menu').getByText('Ann Example').waitFor();

  const fields = await here.page
    .locator('input[type=password]')
    .evaluateAll((inputs) => inputs.map((one) => one.getAttribute('autocomplete')));
  expect(fields).toEqual(['current-password', 'new-password']);
  await here.page.getByLabel('Current password').fill('not it');
  await here.page.getByLabel('New password').fill(`${PASSWORD} 2`);
  await here.page.getByRole('button', { name: 'Change the password' }).click();
  await here.page.getByText('Current password is not your password.').waitFor();
  expect(await here.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('current');
  await here.page.getByLabel('Current password').fill(PASSWORD);
  await here.page.getByRole('button', { name: 'Change the password' }).click();
  await here.page.getByText('Your password is changed').waitFor();
  expect(await here.page.getByLabel('New password').inputValue()).toBe('');
  await elsewhere.page.reload();
  await heading(elsewhere.page, 'Sign in');

  await signIn(elsewhere, ANN, `${PASSWORD} 2`);
  await heading(elsewhere.page, 'Home');
  await here.page.reload();
  await here.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await here.page.getByText('You are signed out everywhere else.').waitFor();
  await elsewhere.page.reload();
  await heading(elsewhere.page, 'Sign in');

  await here.page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await heading(here.page, 'Sign in');
  await here.page.goto(`${replica.url}/static/admin.html#/account`);
  await heading(here.page, 'Sign in');
});

test('an administrator creates an API token, which is shown once, and revokes it', async () => {
  const chief = await openFor();
  const { page } = chief;
  await signIn(chief, CHIEF);
  await heading(page, 'Home');
  await chief.turn('#/tokens/new');
  await heading(page, 'New API token');
  await look(page, 'people-token');
  await page.locator('#field-name').fill('nightly export');
  await page.getByRole('checkbox', { name: /^Viewer/ }).check();
  await save(chief);
  const dialog = page.getByRole('dialog', { name: 'The token “nightly export”' });
  const token = await dialog.locator('#api-token').innerText();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await rowOf(page, 'nightly export').getByText(token.slice(0, 11)).waitFor();
  await look(page, 'people');
  const call = () => apiOf(replica.url)('GET', '/me', undefined, { Authorization: `Bearer ${token}` });
  expect((await call()).body).toMatchObject({ kind: 'token', roles: ['viewer'], publishers: null });
  await page.getByRole('button', { name: 'Revoke nightly export' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, 'nightly export').getByText('revoked').waitFor();
  expect((await call()).status).toBe(401);
  // A name is never used twice: said where the form is.
  await chief.turn('#/tokens/new');
  await page.locator('#field-name').fill('nightly export');
  await page.getByRole('checkbox', { name: /^Viewer/ }).check();
  await save(chief);
  await page.getByText('A token has, or had, this name').waitFor();
});

test('an administrator makes a role from permissions, gives it, and deletes it for another one', async () => {
  const chief = await openFor();
  const { page } = chief;
  await signIn(chief, CHIEF);
  await heading(page, 'Home');
  await chief.turn('#/people');
  await page.getByRole('button', { name: 'Roles' }).click();
  await heading(page, 'Roles');
  await page.getByRole('columnheader', { name: /Administrator/ }).waitFor();
  await look(page, 'roles');
  await page.getByRole('button', { name: 'New role' }).click();
  await heading(page, 'New role');
  await page.locator('#field-name').fill('booker');
  await page.getByRole('button', { name: 'Begin with …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Viewer' }).click();
  await page.getByRole('checkbox', { name: 'Change advertisers,' }).check();
  await page.getByRole('checkbox', { name: 'Read alerts' }).uncheck();
  await look(page, 'roles-new');
  await save(chief);
  await heading(page, 'Roles');
  await page.getByRole('link', { name: 'Booker' }).waitFor();

  await chief.turn('#/people');
  await page.getByRole('link', { name: 'Ann Example', exact: true }).click();
  await page.getByRole('checkbox', { name: /^Booker/ }).check();
  await page.getByRole('checkbox', { name: /^Viewer/ }).uncheck();
  await save(chief);
  await rowOf(page, 'Ann Example').getByText('booker').waitFor();

  await chief.turn('#/roles');
  await page.getByRole('link', { name: 'Booker' }).click();
  await heading(page, 'Booker');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: /It has 1 person/ })
    .getByRole('button', { name: 'Trafficker' })
    .click();
  await page.getByRole('dialog', { name: 'Delete the role' }).getByRole('button', { name: 'Delete' }).click();
  await heading(page, 'Roles');
  await chief.turn('#/people');
  await rowOf(page, 'Ann Example').getByText('trafficker').waitFor();
});
