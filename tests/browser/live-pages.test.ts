import type { Page } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { apiOf, book, type Booked } from '../api/api-client.ts';
import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import { startPublisherSite } from './setup/start-publisher-site.ts';
import { useAdmin } from './setup/use-admin.ts';

let booked: Booked;
let address: string;

const AD = '<div style="background:#1d4ed8;color:#fff;height:250px;font:700 22px system-ui">Boots, 79</div>';

const desk = useAdmin(async ({ replica }) => {
  const api = apiOf(replica.url);
  booked = await book(api, 'article-mid');
  await api('PATCH', `/creatives/${booked.creative}`, { name: 'Boots, blue', content: AD, width: 300, height: 250 });
  const site = await startPublisherSite();
  const text = '<p style="height:1500px;max-width:40rem">The tide turns at noon.</p>';
  address = site.serve({
    service: { baseUrl: replica.url, apiKey: booked.publisher.api_key, publisherId: booked.publisher.id },
    html: `<h1>The harbour</h1>${text}<div data-adsdk-slot="article-mid" data-lazy data-sizes="300x250" style="min-height:250px"></div>
      <div data-adsdk-slot="elsewhere" style="min-height:90px"></div>${text}`,
    scriptAttributes: `data-api-key="${booked.publisher.api_key}" data-publisher-id="${booked.publisher.id}"`,
  });
  await api('PATCH', '/placements/article-mid', { page_url: address });
});

/** What pages ask of the service for ads and hits. */
const asked = (page: Page): readonly string[] => {
  const paths: string[] = [];
  page.context().on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(ad|impression|click|event)$/.test(pathname)) paths.push(pathname);
  });
  return paths;
};

test('an ad is previewed in the slot of its tag on the page itself, in a frame and in a tab, and nothing is asked or counted', async () => {
  const { page, go } = desk.admin;
  const requests = asked(page);
  await go(`#/creatives/${booked.creative}`);
  const choose = (words: string) => page.locator('.segment', { hasText: words }).click();
  await choose('Desktop');
  await choose('The page itself');
  const site = page.locator('live-page iframe').contentFrame().locator('iframe').contentFrame();
  const ad = site.locator('[data-adsdk-slot=article-mid] iframe').contentFrame();
  await ad.getByText('Boots, 79').waitFor();
  await page.getByText('The page shows the ad in its slot. Nothing is counted.').waitFor();
  // A lazy slot far below the fold has been scrolled into view.
  const slot = site.locator('[data-adsdk-slot=article-mid]');
  expect(await slot.evaluate((element) => element.getBoundingClientRect().top < innerHeight)).toBe(true);
  expect(await site.locator('[data-adsdk-slot=elsewhere] iframe').count()).toBe(0);
  await shootSchemes(page, 'live-page');

  // As wide as the screen of a phone, and with what is typed.
  await choose('Phone');
  await eventually(async () => expect(await site.locator('body').evaluate(() => innerWidth)).toBe(390));
  await page.locator('#field-content').fill(AD.replace('79', '89'));
  await ad.getByText('Boots, 89').waitFor();
  await loadAxe(page);
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await beyondOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });

  const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Open it in a tab' }).click()]);
  await tab.locator('[data-adsdk-slot=article-mid] iframe').contentFrame().getByText('Boots, 89').waitFor();
  expect(requests).toEqual([]);
  await tab.close();
});

test('a page that is opened by itself with the address of a preview has its ads as ever', async () => {
  const page = await desk.browser.newPage();
  const requests = asked(page);
  await page.goto(`${address}#adsdk_preview=article-mid`);
  await page.mouse.wheel(0, 1500);
  await page.locator('[data-adsdk-slot=article-mid] iframe').contentFrame().getByText('Boots, 79').waitFor();
  expect(requests).toContain('/ad');
  await page.close();
});
