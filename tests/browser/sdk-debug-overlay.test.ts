import type { Page } from 'playwright-core';
import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PageOptions, PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

const TOKEN = 'a-token-of-staff-with-more-than-32-characters';

let publisher: Publisher;

/** In production, where a trace shows figures to a debug grant only. */
beforeAll(async () => {
  publisher = await startPublisher(
    [
      { placement: 'top', format: 'html', content: '<p>An ad</p>', size: [728, 90] },
      { placement: 'side', format: 'native', content: '{"title":"Tea"}', size: [300, 250] },
      { placement: 'wrong-size', format: 'html', content: '<p>Large</p>', size: [300, 250], creativeSize: [970, 250] },
    ],
    { NODE_ENV: 'production', ADMIN_ENABLED: 'true', ADMIN_TOKEN: `staff:${TOKEN}` },
  );
});

const HTML =
  `<style>[data-adsdk-slot=top]{min-height:100px}[data-adsdk-slot=side]{min-height:120px}[data-adsdk-slot=wrong-size]{min-height:60px}</style>` +
  `<h1>An article</h1><div data-adsdk-slot="top" data-sizes="(min-width: 728px) 728x90, 320x100" data-kv-topic="tea"></div>` +
  `<p>Text of the article.</p><div data-adsdk-slot="side" data-template="plain"></div><div data-adsdk-slot="wrong-size"></div>` +
  `<div data-adsdk-slot="nowhere"></div>`;
const TEMPLATE = `<script nonce="n1">window.AdSDK={cmd:[(sdk)=>{sdk.templates.plain=(a,{escapeHTML})=>'<h2>'+escapeHTML(a.title)+'</h2>'}]}</script>`;

/** A page whose address ends with `asked`. */
const openAsked = async (asked: string, more: Partial<PageOptions> = {}): Promise<PublisherPage> => {
  const opened = await publisher.open({
    html: HTML,
    head: `${TEMPLATE}<script nonce="n1" async src="${publisher.service.baseUrl}/static/sdk/adsdk-loader.min.js"></script>`,
    script: false,
    watched: true,
    init: `if (window === top) history.replaceState(null, "", location.pathname + ${JSON.stringify(asked)});
      window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value))).observe({ type: 'layout-shift', buffered: true });`,
    ...more,
  });
  return opened;
};

const mark = (page: Page, placement: string) => page.locator('adsdk-debug .mark button', { hasText: `${placement} · ` });
const panelText = (page: Page): Promise<string> => page.locator('adsdk-debug .panel').innerText();

const grantOf = async (): Promise<string> => {
  const answer = await fetch(`${publisher.service.baseUrl}/api/debug_grants`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ publisher_id: publisher.service.publisherId }),
  });
  return ((await answer.json()) as { token: string }).token;
};

test('marks each slot with its decision, and explains it with links to the line items, without figures', async () => {
  const { page, faults, sentTo } = await openAsked('?a=1&adsdk_debug');
  await mark(page, 'top').filter({ hasText: 'line item 1' }).waitFor();
  await mark(page, 'side').filter({ hasText: 'line item 1' }).waitFor();
  await mark(page, 'wrong-size').filter({ hasText: 'no ad, 501' }).waitFor();
  await mark(page, 'nowhere').filter({ hasText: 'no ad, 2: the placement does not exist' }).waitFor();
  await mark(page, 'top').click();
  await eventually(async () => expect(await panelText(page)).toMatch(/impression\s+accepted[^]*yes, 1\.\d s after it was shown/i));
  const text = await panelText(page);
  expect(text).toMatch(/Line item 1 won with creative 1/);
  expect(text).toMatch(/candidates [\d.]+ ms, bidders [\d.]+ ms, reserve [\d.]+ ms/);
  expect(text).toMatch(/Withheld: prices/);
  expect(text).toContain('{"topic":"tea"}');
  expect(text).not.toMatch(/priority \d/);
  expect(await page.locator('adsdk-debug .panel a').first().getAttribute('href')).toBe(
    `${publisher.service.baseUrl}/static/admin.html#/line_items/1`,
  );
  expect(sentTo('/ad')).toHaveLength(1);
  expect(sentTo('/ad')[0]!.query.get('debug')).toBe('1');
  expect((JSON.parse(sentTo('/ad')[0]!.body!) as { site: { page: string } }).site.page).toMatch(/\?a=1$/);
  expect(faults).toEqual([]);
});

test.each(['#adsdk_debug=', '?adsdk_debug='])(
  'a debug grant in %s shows the figures, and never leaves with the address of the page',
  async (parameter) => {
    const grant = await grantOf();
    const { page, sentTo, sent } = await openAsked(parameter + grant);
    await mark(page, 'top')
      .filter({ hasText: /line item 1, \d+\.\d\d USD eCPM/ })
      .click();
    expect(await panelText(page)).not.toContain('Withheld');
    expect(sentTo('/ad')[0]!.query.get('debug_grant')).toBe(grant);
    for (const { body } of sent) expect(body ?? '').not.toContain(grant);
  },
);

test('without the parameter nothing of it is loaded', async () => {
  const { page, sent } = await openAsked('?debug');
  await page.locator('[data-adsdk-slot=top][data-adsdk-state=filled]').waitFor();
  expect(await page.locator('adsdk-debug').count()).toBe(0);
  expect(sent.filter(({ path }) => path.includes('debug'))).toEqual([]);
});

test('works under a strict policy with Trusted Types, and at every width moves nothing', async () => {
  for (const width of [390, 768, 1280]) {
    const violations: string[] = [];
    const opened = await openAsked('?adsdk_debug', {
      viewport: { width, height: 800 },
      html: HTML.replace('<style>', '<style nonce="n1">'),
      headers: {
        'Content-Security-Policy':
          `default-src 'none'; script-src 'nonce-n1' 'strict-dynamic'; connect-src ${publisher.service.baseUrl}; style-src 'nonce-n1'; ` +
          `require-trusted-types-for 'script'; trusted-types adsdk adsdk-loader`,
      },
      prepare: async (page) => {
        page.on('console', (message) => /Content Security Policy|Trusted/i.test(message.text()) && violations.push(message.text()));
      },
    });
    const { page } = opened;
    await mark(page, 'top').filter({ hasText: 'line item 1' }).click();
    await page.locator('adsdk-debug .panel').getByText('Viewability').waitFor();
    await page.mouse.wheel(0, 300);
    await page.waitForTimeout(400);
    const { x, width: panelWidth } = (await page.locator('adsdk-debug .panel').boundingBox())!;
    expect([x >= 0, x + panelWidth <= width]).toEqual([true, true]);
    expect(await beyondOf(page)).toEqual([]);
    expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual([]);
    expect([violations, opened.faults]).toEqual([[], []]);
  }
});

test('can be used with the keyboard alone, and removed', async () => {
  const { page } = await openAsked('?adsdk_debug');
  await mark(page, 'wrong-size').filter({ hasText: 'no ad' }).focus();
  await page.keyboard.press('Enter');
  const focused = () => page.evaluate(() => document.querySelector('adsdk-debug')!.shadowRoot!.activeElement?.textContent);
  expect(await focused()).toBe('wrong-size');
  expect(await panelText(page)).toMatch(/No ad\. 501[^]*creative 3: /);
  await page.keyboard.press('Escape');
  expect(await page.locator('adsdk-debug .panel').isVisible()).toBe(false);
  expect(await focused()).toMatch(/^wrong-size · /);
  await page.getByRole('button', { name: /^Ads: 2 filled, 2 empty/ }).click();
  await page.getByRole('button', { name: 'nowhere no ad' }).click();
  expect(await panelText(page)).toContain('2: the placement does not exist');
  await page.getByRole('button', { name: 'Remove the overlay' }).click();
  expect(await page.locator('adsdk-debug').count()).toBe(0);
  expect(await page.locator('[data-adsdk-slot=top] iframe').count()).toBe(1);
});

test('shows slots that a script fills, requests without a slot, and what went wrong', async () => {
  const { page } = await openAsked('?adsdk_debug', { html: '<div id="late" style="min-height:90px"></div>' });
  await page.evaluate(() => window.AdSDK.cmd.push(() => {}));
  await page.locator('adsdk-debug .bar').waitFor();
  await page.evaluate(async () => {
    await AdSDK.fetchAd('top');
    await AdSDK.renderAd('top', 'late');
  });
  await mark(page, 'top').filter({ hasText: 'line item 1' }).waitFor();
  await page.getByRole('button', { name: /^Ads: 1 filled/ }).click();
  expect(await panelText(page)).toMatch(/Requests without a slot[^]*top an ad/);
  await page.evaluate(() => {
    AdSDK.setApiKey('wrong');
    return AdSDK.renderAd('top', 'late');
  });
  await mark(page, 'top').filter({ hasText: 'no ad' }).click();
  expect(await panelText(page)).toContain('the ad server answered 401');
});
