import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { sendReport } from './setup/send-report.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;
declare const axe: { run(context: unknown, options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'report-html', format: 'html', content: '<p>An ad</p>' },
    { placement: 'report-native', format: 'native', content: '{"title":"An ad"}' },
  ]);
});

const show = async (slot = '<div id="slot"></div>', native?: string): Promise<PublisherPage> => {
  const opened = await publisher.open({ html: `<main><h1>News</h1>${slot}</main>` });
  await opened.page.evaluate((template) => {
    if (template === undefined) return AdSDK.renderAd('report-html', 'slot');
    return AdSDK.renderNativeAd('report-native', 'slot', () => template || AdSDK.getReportLinkHTML('Report <this>', 'a"b', 'color: red'));
  }, native);
  return opened;
};

const violations = async (page: Page): Promise<string[]> => {
  const source = readFileSync(createRequire(`${process.cwd()}/package.json`).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const { violations: found } = await page.evaluate(() => axe.run(document, { rules: { 'color-contrast': { enabled: true } } }));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
};

test('a visitor can report an ad with the keyboard only, and the focus returns', async () => {
  const before = await publisher.service.storedReports('report-html');
  const { page, sentTo } = await show();
  const button = page.getByRole('button', { name: 'Report this ad' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Report this ad' });
  await dialog.waitFor();
  expect(await dialog.getByRole('radio').evaluateAll((radios) => radios.map((radio) => (radio as HTMLInputElement).value))).toEqual([
    'offensive',
    'misleading',
    'malware',
    'irrelevant',
    'other',
  ]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Thank you').waitFor();
  expect(await page.getByRole('status').textContent()).toContain('Thank you');
  expect(JSON.parse(sentTo('/report').at(-1)!.body!)).toEqual({ token: sentTo('/impression')[0]!.query.get('t'), reason: 'misleading' });
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await eventually(async () => expect(await publisher.service.storedReports('report-html')).toBe(before + 1));
});

test('the focus stays inside the modal, Escape closes it, and the focus returns', async () => {
  const { page, sentTo } = await show();
  const button = page.getByRole('button', { name: 'Report this ad' });
  await button.click();
  await page.getByRole('dialog').waitFor();
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement?.shadowRoot !== null)).toBe(true);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(sentTo('/report')).toHaveLength(0);
});

test('a failed report shows an error and can be sent again', async () => {
  const { page } = await show();
  await page.route('**/report', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Report this ad' }).click();
  await page.getByLabel('Something else').check();
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('could not be sent').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('Thank you').waitFor();
});

test('without a reason nothing is sent', async () => {
  const { page, sentTo } = await show();
  await page.getByRole('button', { name: 'Report this ad' }).click();
  await page.getByRole('button', { name: 'Send report' }).click();
  expect(sentTo('/report')).toHaveLength(0);
  expect(await page.getByRole('dialog').count()).toBe(1);
});

test('data-disable-reporting="true" removes the button in both renderers; any other value does not', async () => {
  const count = async (slot: string, native?: string): Promise<number> =>
    (await show(slot, native)).page.getByRole('button', { name: 'Report this ad' }).count();
  expect(await count('<div id="slot" data-disable-reporting="true"></div>')).toBe(0);
  expect(await count('<div id="slot" data-disable-reporting="true"></div>', '<p>Ad</p>')).toBe(0);
  expect(await count('<div id="slot" data-disable-reporting="false"></div>')).toBe(1);
  expect(await count('<div id="slot"></div>', '<p>Ad</p>')).toBe(1);
});

test('a report link in the template is escaped, opens the modal, replaces the automatic button and is not a click', async () => {
  const { page, sentTo } = await show('<div id="slot"></div>', '');
  const link = page.locator('#slot button');
  expect(await link.count()).toBe(1);
  expect(await link.textContent()).toBe('Report <this>');
  expect(await link.getAttribute('class')).toBe('a"b');
  expect(await link.getAttribute('style')).toBe('color: red');
  await link.click();
  await page.getByRole('dialog').waitFor();
  expect(sentTo('/click')).toHaveLength(0);
});

test('reportAd and showReportModal take any tracking URL or a bare token', async () => {
  const { page, sentTo } = await show();
  const token = sentTo('/impression')[0]!.query.get('t')!;
  const results = await page.evaluate(
    async ([t, base]) => {
      const reports = [`${base}/click?t=${t}`, `/event?t=${t}&type=like`, t].map((url) => AdSDK.reportAd(url!, 'irrelevant'));
      const refused = AdSDK.reportAd('forged', 'irrelevant');
      return Promise.all([...reports, refused]);
    },
    [token, publisher.service.baseUrl],
  );
  expect(results).toEqual([true, true, true, false]);
  expect(sentTo('/report').map((one) => JSON.parse(one.body!).token)).toEqual([token, token, token, 'forged']);
  await page.evaluate((t) => AdSDK.showReportModal(t), token);
  await sendReport(page, 'It is offensive');
  expect(JSON.parse(sentTo('/report').at(-1)!.body!)).toEqual({ token, reason: 'offensive' });
});
