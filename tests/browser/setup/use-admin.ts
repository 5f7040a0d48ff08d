import type { Browser } from 'playwright-core';
import { startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';
import { apiOf, openAdmin, type AdminPage, type Api } from './start-admin.ts';
import { startBrowser } from './start-browser.ts';

/** What the tests of a file share; set before the first of them. */
export interface AdminDesk {
  readonly browser: Browser;
  readonly replica: Replica;
  readonly databaseUrl: string;
  readonly api: Api;
  /** Opened anew for each test, which fails when something unexpected happened on it. */
  readonly admin: AdminPage;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** One replica, its API and the trafficking page for the tests of a file. @param prepare books what they share */
export const useAdmin = (prepare: (desk: Omit<AdminDesk, 'admin'>) => Promise<void> = () => Promise.resolve()): AdminDesk => {
  const desk = {} as Mutable<AdminDesk>;
  beforeAll(async () => {
    [desk.browser, desk.databaseUrl] = await Promise.all([startBrowser(), testDatabase()]);
    desk.replica = await startReplica({ env: { DATABASE_URL: desk.databaseUrl, REDIS_URL: await testRedisUrl() } });
    desk.api = apiOf(desk.replica);
    await prepare(desk);
  });
  beforeEach(async () => {
    desk.admin = await openAdmin(desk.browser, desk.replica);
  });
  afterEach(async () => {
    expect(desk.admin.troubles).toEqual([]);
    await desk.admin.close();
  });
  return desk;
};
