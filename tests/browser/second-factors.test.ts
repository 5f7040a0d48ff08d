import { Secret, TOTP } from 'otpauth';
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
let chief: AdminPage;
let page: Page;
/** Passkeys belong to a host name, never to an address. */
let origin: string;

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const look = async (name: string): Promise<void> => {
  await shootSchemes(page, name);
  expect(await looksWrong(page)).toEqual([]);
};
const signOut = async (): Promise<void> => {
  await press('Sign out');
  await heading('Sign in');
};

const start = async (): Promise<void> => {
  browser = await startBrowser();
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ALLOWED_HOSTS: 'localhost' },
  });
  origin = replica.url.replace('127.0.0.1', 'localhost');
  chief = await openAdmin(browser, { url: origin });
  page = chief.page;
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  const [secret] = await replica.logged(/#adsl_[0-9a-f]{56}/);
  await page.goto(`${origin}/static/sign-in.html${secret}`);
  await page.getByLabel('E-mail address').fill(CHIEF);
  await page.getByLabel('Your name').fill('Chief');
  await page.getByLabel('New password').fill(PASSWORD);
  await press('Create the account');
  await heading('Home');
};

const makesPasskey = async (): Promise<void> => {
  await page.goto(`${origin}/static/admin.html#/account`);
  await press('Add a passkey');
  await page.getByLabel('Name of the passkey').fill('Laptop');
  await page.getByLabel('Your password').fill(PASSWORD);
  await press('Continue');
  await page.getByText('never used').waitFor();
  await press('Rename the passkey Laptop');
  await page.getByLabel('Name of the passkey').fill('Work laptop');
  await press('Rename');
  await page.getByText('The passkey is renamed.').waitFor();
  await look('account-passkey');
  await signOut();
  await look('sign-in-passkey');
  await press('Sign in with a passkey');
  await heading('Home');
  await page.locator('.person-menu').getByText(CHIEF).waitFor();
};

const setsUpApp = async (): Promise<void> => {
  await page.goto(`${origin}/static/admin.html#/account`);
  await press('Set up an app');
  await page.getByLabel('Your password').fill(PASSWORD);
  await press('Continue');
  await page.getByLabel('Code of the app').waitFor();
  await page.getByRole('img', { name: 'QR code of the key below' }).waitFor();
  await look('account-app');
  const key = (await page.locator('pre.codes').innerText()).replaceAll(' ', '');
  const totp = new TOTP({ secret: Secret.fromBase32(key) });
  await page.getByLabel('Code of the app').fill(totp.generate());
  await press('Turn on');
  await press('I have kept them');
  await page.getByText('10 of 10 recovery codes are left').waitFor();
  await signOut();
  await page.getByLabel('E-mail address').fill(CHIEF);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press('Sign in');
  await heading('One more step');
  // The code of the next step: the present one was used.
  await page.getByLabel('Code', { exact: true }).fill(totp.generate({ timestamp: Date.now() + 30_000 }));
  await press('Sign in');
  await heading('Home');
};

const removesPasskey = async (): Promise<void> => {
  await page.goto(`${origin}/static/admin.html#/account`);
  await press('Remove the passkey Work laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('never used').waitFor({ state: 'detached' });
  await page.getByText('is removed.').waitFor();
  await signOut();
  await press('Sign in with a passkey');
  await page.getByText('This passkey is not known here').waitFor();
};

test('passkey and authenticator app: set up on the account screen, used on the sign-in page, and a removed one is refused in calm words', async () => {
  await start();
  await makesPasskey();
  await setsUpApp();
  await removesPasskey();
  expect(chief.troubles).toEqual([]);
});
