import type { Browser } from 'playwright-core';
import { book, type ApiCall, type Booked } from '../../api/api-client.ts';
import { browserAt, type TestBrowser } from '../../people/browser.ts';
import { callWith, MACHINE } from '../../people/staff.ts';
import { startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';
import { openAdmin, type AdminPage, type PageLook } from './start-admin.ts';

const PASSWORD = 'a long enough pass phrase';

/** A service with a booking and people who sign in. */
export interface House {
  readonly replica: Replica;
  readonly databaseUrl: string;
  /** With a token that may do everything. */
  readonly machine: ApiCall;
  readonly booked: Booked;
  /** Someone with an account: `ann` is ann@gazette.example. Resolves to their calls without a page. */
  person(name: string, roles: readonly string[], rest?: object): Promise<TestBrowser>;
  /** Their browser, signed in. */
  open(name: string, look?: PageLook): Promise<AdminPage>;
}

export const startHouse = async (browser: Browser, env: Readonly<Record<string, string>> = {}): Promise<House> => {
  const databaseUrl = await testDatabase();
  const replica = await startReplica({
    env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: MACHINE, ...env },
  });
  const machine = callWith(replica.url, MACHINE);
  return {
    ...{ replica, databaseUrl, machine, booked: await book(machine, 'house-top') },
    person: async (name, roles, rest = {}) => {
      const named = { email: `${name}@gazette.example`, name: name.slice(0, 1).toUpperCase() + name.slice(1) };
      const invited = await machine('POST', '/people', { ...named, roles, publishers: null, ...rest });
      const secret = /adsl_\w+/.exec(invited.body.link)?.[0];
      const theirs = browserAt(replica.url);
      const { status } = await theirs.call('POST', '/auth/password', { secret, password: PASSWORD });
      if (status !== 200) throw new Error(`${name} cannot set a password: ${status}`);
      return theirs;
    },
    open: async (name, look) => {
      const admin = await openAdmin(browser, replica, look);
      const { page } = admin;
      await page.goto(`${replica.url}/static/sign-in.html`);
      await page.getByLabel('E-mail address').fill(`${name}@gazette.example`);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // Drawn once the page knows the person and no longer loads itself again for how they want it to look.
      await page.locator('.person-menu .person').waitFor();
      return admin;
    },
  };
};
