import type { Browser, Page } from 'playwright-core';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { looksWrong } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import { openAdmin, type AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

const PASSWORD = 'a long enough pass phrase';
const CHIEF = 'chief@gazette.example';

let browser: Browser;
let replica: Replica;
let guest: AdminPage;
let page: Page;

const address = (rest = '') => `${replica.url}/static/sign-in.html${rest}`;

/** Opens the page in a tab without a document that differs by its fragment only. */
const visit = async (rest = ''): Promise<void> => {
  await page.goto('about:blank');
  await page.goto(address(rest));
};
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const signIn = async (email: string, password: string): Promise<void> => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
/** What the page says above the form, as soon as it does. */
const note = async (): Promise<string> => (await page.locator('[role=alert] .note').innerText()).trim();

/** Takes pictures of a step, and expects that nothing is wrong with how it looks. */
const look = async (name: string): Promise<void> => {
  await shootSchemes(page, name);
  expect(await looksWrong(page)).toEqual([]);
};

beforeAll(async () => {
  browser = await startBrowser();
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: 'a-token-of-this-test-that-is-long-enough' },
  });
});
beforeEach(async () => {
  guest = await openAdmin(browser, replica);
  page = guest.page;
});
afterEach(async () => {
  expect(guest.troubles).toEqual([]);
  await guest.close();
});

test('the printed link makes the first administrator, who is in, and the link leads nowhere afterwards', async () => {
  const [secret] = await replica.logged(/#adsl_[0-9a-f]{56}/);
  await visit(secret);
  await heading('Make the first administrator');
  await look('sign-in-first');
  const fields = await page
    .locator('input[name]')
    .evaluateAll((inputs) => inputs.map((one) => [one.getAttribute('name'), one.getAttribute('autocomplete')]));
  expect(fields).toEqual([
    ['email', 'username'],
    ['name', 'name'],
    ['password', 'new-password'],
  ]);
  // By the keyboard alone; the first field has the focus.
  await page.keyboard.type('not an address');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Chief');
  await page.keyboard.press('Tab');
  await page.keyboard.type('too short');
  await page.keyboard.press('Enter');
  await page.getByText('Write an e-mail address, such as sales@gazette.example.').waitFor();
  await page.getByText('Use at least 15 characters.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
  await look('sign-in-first-faults');
  await page.getByLabel('E-mail address').fill(CHIEF);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

  await visit(secret);
  await heading('This link cannot be used');
  await look('sign-in-used-link');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading('Sign in');
});

test('without a session the tool leads to the sign-in, which leads back to the screen that was wanted', async () => {
  await page.goto(`${replica.url}/static/admin.html#/campaigns?sort=name`);
  await heading('Sign in');
  await look('sign-in');
  const fields = await page
    .locator('input[name]')
    .evaluateAll((inputs) => inputs.map((one) => [one.getAttribute('name'), one.getAttribute('autocomplete')]));
  expect(fields).toEqual([
    ['email', 'username'],
    ['password', 'current-password'],
  ]);
  await signIn(CHIEF, PASSWORD);
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  expect(page.url()).toBe(`${replica.url}/static/admin.html#/campaigns?sort=name`);
});

test.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/static/demo/', ''])(
  'the sign-in leads to no other place than a screen of the tool: %s',
  async (to) => {
    await visit(`?to=${encodeURIComponent(to)}`);
    await signIn(CHIEF, PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(page.url().split('#')[0]).toBe(`${replica.url}/static/admin.html`);
  },
);

test('a wrong password and an unknown address are refused in the same words, and after too many the wait is said in minutes', async () => {
  await visit();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('E-mail address is needed.').waitFor();
  await signIn(CHIEF, 'wrong');
  const ofWrong = await note();
  expect(ofWrong).toMatch(/^The e-mail address or the password is not right/);
  await look('sign-in-refused');
  await visit();
  await signIn('nobody@gazette.example', PASSWORD);
  expect(await note()).toBe(ofWrong);
  for (let i = 0; i < 10; i++) {
    await signIn('nobody@gazette.example', 'wrong');
    await page.locator('button[type=submit][aria-busy=false]').waitFor();
  }
  expect(await note()).toBe('There were too many attempts. Wait 15 minutes, then try again.');
});

test('where no mail is set up, a forgotten password leads to an administrator', async () => {
  await visit();
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await heading('Set a new password');
  await page.getByText('Ask an administrator of your ad server for a link.').waitFor();
  await look('sign-in-forgot');
  await page.getByRole('button', { name: 'Back' }).click();
  await heading('Sign in');
});

test('a token is used in place of a sign-in, again after a wrong one, and kept for the tab only', async () => {
  await page.goto(`${replica.url}/static/admin.html#/publishers`);
  await page.getByRole('button', { name: 'Use a token instead' }).click();
  await heading('Use a token');
  await look('sign-in-token');
  await page.getByLabel('Token').fill('wrong');
  await page.getByLabel('Token').press('Enter');
  expect(await note()).toMatch(/^That token was not accepted/);
  await page.getByLabel('Token').fill('a-token-of-this-test-that-is-long-enough');
  await page.getByRole('button', { name: 'Use this token' }).click();
  await page.getByRole('heading', { level: 1, name: 'Publishers' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Publishers' }).waitFor();
  expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, '']);
});

test('a session that ends under a form keeps what was typed, until the person has signed in elsewhere', async () => {
  await visit();
  await signIn(CHIEF, PASSWORD);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await guest.turn('#/publishers/new');
  await page.locator('#field-name').fill('The Gazette');
  await page.locator('#field-domain').fill('gazette.example');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
  await page.context().addCookies(cookies);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog', { name: 'The API key of The Gazette' }).waitFor();
});

test('a service that does not answer is said calmly, with a way to try again', async () => {
  await page.route('**/auth/methods', (route) => route.abort());
  await visit();
  await heading('Not available');
  await look('sign-in-unavailable');
  await page.unroute('**/auth/methods');
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading('Sign in');
});

test.each([
  ['no_role', 'You have no role here yet. Ask an administrator to give you one, then sign in again.'],
  ['expired', 'The sign-in took longer than ten minutes, or was begun in another window. Begin again here.'],
])('why a provider did not let someone in is said above the form: %s', async (problem, words) => {
  await visit(`?problem=${problem}`);
  await page.getByText(words).waitFor();
  await heading('Sign in');
});

test('a problem that the address invents is not shown', async () => {
  await visit('?problem=<b>call+this+number</b>');
  await heading('Sign in');
  expect(await page.locator('.note').count()).toBe(0);
});
