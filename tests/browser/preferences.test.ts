import { Secret, TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { tokenOf } from '../people/staff.ts';
import { shootSchemes } from './setup/shoot.ts';
import { openAdmin } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startHouse, type House } from './setup/start-house.ts';
import { looksWrong } from './setup/faults-of-page.ts';

let browser: Browser;
let house: House;

beforeAll(async () => {
  browser = await startBrowser();
  house = await startHouse(browser, { SEAL_KEYS: 'one:a key that seals the secrets of the tests' });
});

const LONG = 'bernadette.featherstonehaugh-cholmondeley';

test('colours, density and time zone apply when they are chosen, before the first paint, and in other browsers of the person', async () => {
  await house.person('ann', ['administrator']);
  const { page, go, troubles, close } = await house.open('ann', { scheme: 'light' });
  await go('#/account');
  await shootSchemes(page, 'preferences');
  expect(await looksWrong(page)).toEqual([]);
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.getByLabel('Colours').selectOption('dark');
  await page.locator('html[data-theme=dark]').waitFor();
  expect(await background()).not.toBe(light);
  const dark = await background();
  expect(await looksWrong(page)).toEqual([]);
  await page.getByLabel('Density').selectOption('compact');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByText('GMT+9').first().waitFor();
  await page.locator('html[data-density=compact]').waitFor();

  // Before the page's own script runs, the document has the colours.
  await page.route('**/admin/admin.js', (route) => route.abort());
  await page.reload({ waitUntil: 'load' });
  expect(await background()).toBe(dark);
  expect(await page.evaluate(() => ({ ...document.documentElement.dataset }))).toEqual({ theme: 'dark', density: 'compact' });

  const elsewhere = await house.open('ann', { scheme: 'light' });
  await elsewhere.page.locator('html[data-theme=dark][data-density=compact]').waitFor();
  await elsewhere.go('#/history');
  await elsewhere.page.getByText('GMT+9').first().waitFor();
  expect([...troubles, ...elsewhere.troubles]).toEqual([]);
  await elsewhere.close();
  await close();
});

test('choices that are made while one is still being saved are all kept', async () => {
  await house.person('hana', ['viewer']);
  const { page, go, troubles, close } = await house.open('hana', { scheme: 'light' });
  await go('#/account');
  // Each answer waits until all choices are made.
  let letThrough = (): void => undefined;
  const made = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route('**/api/me/preferences', async (route) => {
    await made;
    await route.continue();
  });
  await page.getByLabel('Density').selectOption('compact');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByLabel('Colours').selectOption('dark');
  const reloaded = page.waitForEvent('load');
  letThrough();
  await reloaded;
  await page.locator('html[data-theme=dark][data-density=compact]').waitFor();
  await page.getByText('GMT+9').first().waitFor();
  expect([await page.getByLabel('Density').inputValue(), await page.getByLabel('Time zone').inputValue()]).toEqual([
    'compact',
    'Asia/Tokyo',
  ]);
  expect(troubles).toEqual([]);
  await close();
});

test('who uses a token has preferences in the browser; what is none is refused at its pointer', async () => {
  const token = await tokenOf(house.machine, 'looks', ['viewer'], null);
  const { page, go, close } = await openAdmin(browser, house.replica);
  await page.goto(`${house.replica.url}/static/sign-in.html`);
  await page.evaluate((given) => sessionStorage.setItem('admin-token', given), token);
  await go('#/overview');
  await page.getByRole('link', { name: 'Preferences' }).click();
  await page.getByText('Kept in this browser.').waitFor();
  await page.getByLabel('Colours').selectOption('dark');
  await page.reload();
  await page.locator('html[data-theme=dark]').waitFor();
  await close();

  const ben = await house.person('ben', ['viewer']);
  const chosen = { language: 'de', time_zone: 'Europe/Berlin', density: 'compact', scheme: 'dark' };
  expect((await ben.call('PUT', '/api/me/preferences', chosen)).body).toEqual(chosen);
  expect((await ben.call('GET', '/api/me')).body.preferences).toEqual(chosen);
  const refused = await ben.call('PUT', '/api/me/preferences', { ...chosen, time_zone: 'Mars/Olympus', language: 'tlh' });
  expect([refused.status, (refused.body.errors as { pointer: string }[]).map(({ pointer }) => pointer).sort()]).toEqual([
    400,
    ['/language', '/time_zone'],
  ]);
  expect((await house.machine('PUT', '/me/preferences', chosen)).status).toBe(409);
});

test('a long address does not break letter by letter in the history, on a desk and on a phone', async () => {
  const author = await house.person(LONG, ['administrator']);
  expect((await author.call('PATCH', '/api/me', { name: 'Bernadette' })).status).toBe(200);
  const { page, go, close } = await house.open('ann');
  await page.addInitScript(() => localStorage.removeItem('preferences'));
  for (const [width, most] of [
    [1280, 3],
    [390, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await go('#/history');
    const address = page.locator('.address').filter({ hasText: LONG }).first();
    await address.waitFor();
    const lines = await address.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect([width, lines <= most]).toEqual([width, true]);
  }
  await shootSchemes(page, 'history-long-address');
  await close();
});

test('an administrator removes the second factors of someone who has lost them', async () => {
  const cleo = await house.person('cleo', ['viewer']);
  const begun = await cleo.call('POST', '/api/me/totp', { password: 'a long enough pass phrase' });
  const { secret, setup } = begun.body as { secret: string; setup: string };
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await cleo.call('PUT', '/api/me/totp', { setup, code })).status).toBe(200);
  const { page, go, troubles, close } = await house.open('ann');
  await go('#/people');
  await page.getByRole('link', { name: 'Cleo' }).click();
  await page.getByText('one-time codes').waitFor();
  await page.getByRole('button', { name: 'Remove second factors' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Cleo signs in without second factors now.').waitFor();
  expect(await page.getByRole('button', { name: 'Remove second factors' }).count()).toBe(0);
  expect(await page.getByText('one-time codes').count()).toBe(0);
  expect(troubles).toEqual([]);
  await close();
  const again = await house.open('cleo');
  await again.close();
});

test.each([
  ['finance', { roles: ['finance'] }, ['Finance', 'History'], ['People']],
  ['approver', { roles: ['approver'] }, ['Approvals', 'History'], ['Finance', 'People']],
  ['trafficker', { roles: ['trafficker'] }, ['People', 'History'], ['Finance']],
  ['viewer', { roles: ['viewer'] }, ['Reports', 'Alerts'], ['Finance', 'History', 'People', 'Approvals']],
])('the navigation of a %s has what the role may open, and nothing else', async (name, { roles }, shown, hidden) => {
  await house.person(name, roles);
  const { page, close } = await house.open(name);
  const entries = await page.locator('.sidebar .nav-group li').allInnerTexts();
  expect(entries).toEqual(expect.arrayContaining(shown));
  expect(entries.filter((entry) => hidden.includes(entry.trim()))).toEqual([]);
  await close();
});
