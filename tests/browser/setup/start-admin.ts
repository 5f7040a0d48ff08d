import type { Browser, Locator, Page, Request } from 'playwright-core';
import { startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';

/** The trafficking page in a browser, and everything unexpected that happened there. */
export interface AdminPage {
  readonly page: Page;
  /** Dialogs, uncaught errors, refused resources and requests to other hosts. */
  readonly troubles: readonly string[];
  /** Loads the page at a screen. */
  readonly go: (hash: string) => Promise<void>;
  /** Goes to another screen without a reload; resolves when it is shown. */
  readonly turn: (hash: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface PageLook {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** Finds a record in a combobox by its name, and chooses it. */
export const pick = async (input: Locator, name: string): Promise<void> => {
  await input.fill(name);
  await input.locator('xpath=..').getByRole('option').filter({ hasText: name }).first().click();
};

/** Starts replicas that share one database and one Redis. */
export const startReplicas = async (count: number, env: Readonly<Record<string, string>> = {}): Promise<readonly Replica[]> => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ...env };
  const first = await startReplica({ env: stores });
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => startReplica({ env: stores }))))];
};

export const openAdmin = async (browser: Browser, { url }: Pick<Replica, 'url'>, look: PageLook = {}): Promise<AdminPage> => {
  const { width = 1280, height = 900, scheme = 'light' } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The console also reports every refused write.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const address = new URL(request.url());
    const ofCreative = request.frame() !== page.mainFrame();
    if (!ofCreative && address.origin !== url && address.protocol.startsWith('http')) troubles.push(`outside: ${request.url()}`);
  });
  const asked = new Set<Request>();
  const isRead = (request: Request): boolean => request.method() === 'GET' && new URL(request.url()).pathname.startsWith('/api/');
  page.on('request', (request) => isRead(request) && asked.add(request));
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  /** Parts of a screen are read after it is drawn, and what is read may name further records. */
  const shown = async (): Promise<void> => {
    const at = await page.evaluate(() => location.hash);
    await page.locator(`.screen[data-at=${JSON.stringify(at)}]`).waitFor();
    const aMoment = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    for (let calm = 0; calm < 2; calm = asked.size === 0 ? calm + 1 : 0) await aMoment();
  };
  const go = async (hash: string): Promise<void> => {
    // When only the fragment differs, the page stays loaded, and the screen before is still there.
    await page.goto(`${url}/static/admin.html${hash}`);
    await shown();
  };
  const turn = async (hash: string): Promise<void> => {
    await page.evaluate((to) => (location.hash = to), hash);
    await shown();
  };
  return { page, troubles, go, turn, close: () => context.close() };
};

export type Api = (method: string, path: string, body?: object) => Promise<Record<string, never> & { readonly id: number }>;

/** The trafficking API of a replica; throws when it refuses, with its answer. */
export const apiOf =
  ({ url }: Pick<Replica, 'url'>): Api =>
  async (method, path, body) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Awaited<ReturnType<Api>>;
  };

export const FLIGHT = { start_date: '2020-01-01', end_date: '2099-01-01' } as const;
