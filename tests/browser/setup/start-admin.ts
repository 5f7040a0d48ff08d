import type { Browser, Page } from 'playwright-core';
import { startReplica, type Replica } from '../../setup/start-replica.ts';
import { testDatabase } from '../../setup/test-database.ts';
import { testRedisUrl } from '../../setup/test-redis-url.ts';

/** The trafficking page in a browser, and what happened there that should not have. */
export interface AdminPage {
  readonly page: Page;
  /** Dialogs, uncaught errors, refused resources and requests to other hosts. */
  readonly troubles: readonly string[];
  /** To a screen by its hash; resolves when its heading stands. */
  readonly go: (hash: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface PageLook {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** So many replicas over one database and one Redis. */
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
    // What a refused write answers is a line in the console, too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    const ofCreative = request.frame() !== page.mainFrame();
    if (!ofCreative && asked.origin !== url && asked.protocol.startsWith('http')) troubles.push(`outside: ${request.url()}`);
  });
  const go = async (hash: string): Promise<void> => {
    await page.goto(`${url}/static/admin.html${hash}`);
    await page.locator('main h1').waitFor();
  };
  return { page, troubles, go, close: () => context.close() };
};

export type Api = (method: string, path: string, body?: object) => Promise<Record<string, never> & { readonly id: number }>;

/** The trafficking API of a replica; throws with the answer when it refuses. */
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
