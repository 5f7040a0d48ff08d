import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startDemoService, type DemoService } from './setup/start-demo-service.ts';

declare const axe: { run(context: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };

let service: DemoService;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startDemoService(), startBrowser()]);
});
afterAll(() => service?.clear());

interface Asked {
  readonly imp: readonly { readonly tagid: string }[];
}

interface Visit {
  readonly page: Page;
  /**
   * Uncaught errors, messages in the console, failed or external requests, and violations of the
   * page's policy, which frames inherit.
   */
  readonly faults: readonly string[];
  readonly asked: readonly string[];
}

const visit = async (name: string, width: number): Promise<Visit> => {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const faults: string[] = [];
  const asked: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => faults.push(message.text()));
  page.on('response', (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/ad') asked.push(...(JSON.parse(request.postData()!) as Asked).imp.map((imp) => imp.tagid));
    if (url.protocol.startsWith('http') && url.origin !== service.baseUrl) faults.push(`outside: ${url.href}`);
  });
  await page.addInitScript(
    `window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) shift += one.value }).observe({ type: 'layout-shift', buffered: true });`,
  );
  const answer = await page.goto(`${service.baseUrl}/static/demo/${name}.html`, { waitUntil: 'networkidle' });
  expect(answer?.headers()).toHaveProperty('content-security-policy');
  return { page, faults, asked };
};

/** Violations in the page and in the frames that axe can enter; the content of ads is excluded. */
const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations: found } = await page.evaluate(() => axe.run({ exclude: [['iframe']] }));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
};

const expectNoFaults = async ({ page, faults }: Visit): Promise<void> => {
  expect(await beyondOf(page)).toEqual([]);
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(faults).toEqual([]);
};

// Every page must have no faults, no violations found by axe, a layout shift of 0.000, and nothing
// wider than the screen.
describe.each([1280, 768, 390])('at %d pixels', (width) => {
  test.each(['index', 'landing'])('the page %s has no faults', async (name) => expectNoFaults(await visit(name, width)));

  test('the article shows its ads, and the one far down only when the reader scrolls near it', async () => {
    const visited = await visit('article', width);
    const { page, asked } = visited;
    await eventually(async () => expect(await page.locator('.ad-slot iframe').count()).toBe(2));
    await expectNoFaults(visited);
    expect(asked).toEqual(['article-top', 'article-side']);
    expect(await page.getByRole('button', { name: 'Report this ad' }).count()).toBe(2);
    for (const frame of page.frames().slice(1))
      await frame.waitForFunction(() => [...document.images].every((image) => image.naturalWidth > 0));
    await page.locator('#article-mid').scrollIntoViewIfNeeded();
    await page.locator('#article-mid iframe').waitFor();
    expect(asked).toContain('article-mid');
  });

  test('the feed shows two native ads, and a like sends an event', async () => {
    const visited = await visit('feed', width);
    const { page } = visited;
    await page.locator('#feed-2 .go').waitFor();
    await expectNoFaults(visited);
    const event = page.waitForRequest((request) => request.url().includes('&type=like'));
    await page.locator('#feed-1 [data-ad-event="like"]').click();
    await event;
    expect(await page.locator('#feed-1 [data-ad-event="like"]').getAttribute('aria-pressed')).toBe('true');
  });

  test('the takeover has no report button', async () => {
    const visited = await visit('takeover', width);
    const { page } = visited;
    await page.locator('#takeover iframe').waitFor();
    await expectNoFaults(visited);
    expect(await page.getByRole('button', { name: /report/i }).count()).toBe(0);
  });

  test('the empty slot collapses and shows the reason', async () => {
    const visited = await visit('empty-slot', width);
    const { page } = visited;
    await page.getByText('The slot is collapsed').waitFor();
    await eventually(async () => expect(await page.locator('#slot').evaluate((slot) => slot.clientHeight)).toBe(0));
    await expectNoFaults(visited);
  });
});
