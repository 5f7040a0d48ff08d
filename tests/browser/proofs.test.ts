import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { beyondOf, loadAxe, violationsOf } from './setup/faults-of-page.ts';
import { shootSchemes } from './setup/shoot.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startHouse, type House } from './setup/start-house.ts';
import { startPublisherSite } from './setup/start-publisher-site.ts';

let browser: Browser;
let house: House;

const AD =
  '<div style="height:100%;display:grid;place-items:center;background:#1d4ed8;color:#fff;font:700 22px system-ui">Boots, 79</div><style>html,body{height:100%;margin:0}</style>';

beforeAll(async () => {
  browser = await startBrowser();
  house = await startHouse(browser);
  const { machine, booked } = house;
  await house.person('ann', ['trafficker']);
  const advertiser = (await machine('POST', '/advertisers', { name: 'Boots of the North' })).body.id;
  await machine('PATCH', `/campaigns/${booked.campaign}`, { name: 'Boots, autumn', advertiser_id: advertiser });
  await machine('PATCH', `/creatives/${booked.creative}`, { name: 'Boots, blue', content: AD, click_url: 'https://boots.example/autumn' });
  const wide = { id: 'house-wide', publisher_id: booked.publisher.id, width: 728, height: 90, formats: ['html'] };
  await machine('POST', '/placements', wide);
  const both = { placement_ids: ['house-top', 'house-wide'], line_item_id: booked.lineItem, format: 'html' };
  await machine('POST', '/creatives', { ...both, name: 'Boots, any size', content: AD.replace('1d4ed8', '9a3412') });
});

/** A page without scroll beyond its window and serious violations. */
const expectSound = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await beyondOf(page)).toEqual([]);
  await loadAxe(page);
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
};

test('a campaign is shared, its advertiser asks for changes and approves without sign-in, and staff read and answer it', async () => {
  const { booked, replica } = house;
  const { page, go, turn, troubles, close } = await house.open('ann');
  await go(`#/campaigns/${booked.campaign}`);
  await page.getByRole('button', { name: 'Share a proof' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'for a week' }).click();
  const link = await page.locator('#shared-link').innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const outside = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await outside.goto(new URL(link, replica.url).href);
  const blue = outside.locator('section').filter({ hasText: 'Boots, blue' });
  const any = outside.locator('section').filter({ hasText: 'Boots, any size' });
  await any.locator('iframe').nth(1).contentFrame().getByText('Boots, 79').waitFor();
  await any.getByRole('button', { name: 'Approve' }).click();
  await any.getByText('Enter your name first.').waitFor();
  await outside.getByLabel('Your name').fill('Bea');
  await any.getByRole('button', { name: 'Approve' }).click();
  await any.getByText('Approved by Bea').first().waitFor();
  await blue.getByRole('button', { name: 'Ask for changes' }).click();
  await blue.getByText('Write what has to change first.').waitFor();
  await blue.getByLabel('Comment, or what has to change').fill('The price is 89 from November on.');
  await blue.getByRole('button', { name: 'Ask for changes' }).click();
  await blue.getByText('Bea asks for changes').first().waitFor();
  await outside.getByText('1 of 2 approved').waitFor();
  await shootSchemes(outside, 'proof');
  await expectSound(outside);

  await turn('#/inbox');
  await page.getByText('The price is 89 from November on.').waitFor();
  await shootSchemes(page, 'proof-inbox');
  await page.getByRole('link', { name: 'creative “Boots, blue”' }).click();
  const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Proof', exact: true }) });
  await card.getByText('Bea asks for changes').first().waitFor();
  await card.getByLabel('Reply to the advertiser').fill('We change it today.');
  await card.getByRole('button', { name: 'Reply' }).click();
  await card.getByText('reply of staff').waitFor();
  await shootSchemes(page, 'proof-creative');
  await turn('#/report_links');
  await page.getByText('Boots, autumn').first().waitFor();
  await shootSchemes(page, 'shared-links');
  await turn('#/history');
  await page.getByText('said in a proof').first().waitFor();
  await page.goBack();

  // It changes meanwhile: what is typed stays, and the reader looks again.
  await house.machine('PATCH', `/creatives/${booked.creative}`, { content: AD.replace('79', '89') });
  await blue.getByLabel('Comment, or what has to change').fill('Good.');
  await blue.getByRole('button', { name: 'Approve' }).click();
  await blue.getByText('The ad was changed since it was shown.').waitFor();
  await blue.locator('iframe').contentFrame().getByText('Boots, 89').waitFor();
  expect(await blue.getByLabel('Comment, or what has to change').inputValue()).toBe('Good.');
  await blue.getByText('We change it today.').waitFor();

  await page.getByRole('button', { name: 'Revoke Boots, autumn' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('revoked', { exact: true }).waitFor();
  await outside.reload();
  await outside.getByText('The link has ended or is not valid.').waitFor();
  await outside.context().close();
  expect(troubles).toEqual([]);
  await close();
});

test('a picture of a page is uploaded at its placement with the place of the ad, and previews are drawn on it, in both colours', async () => {
  const { page, go, troubles, close } = await house.open('ann');
  const dark = '<style>@media (prefers-color-scheme: dark){body{background:rgb(1, 2, 3)}}</style>';
  await house.machine('PATCH', `/creatives/${house.booked.creative}`, { content: AD + dark });
  await go('#/placements/house-top');
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="2000"><rect width="1280" height="2000" fill="#eee"/></svg>';
  const file = { name: 'page.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) };
  await page.getByLabel('Add a picture: desktop, light').setInputFiles(file);
  const place = page.locator('ad-place');
  await place.locator('.ad-place').waitFor();
  await place.scrollIntoViewIfNeeded();
  const box = (await place.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 60);
  await page.mouse.up();
  await page.getByLabel('Top, desktop, light').fill('900');
  await shootSchemes(page, 'page-pictures');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('was saved').waitFor();
  const [stored, ...others] = (await house.machine('GET', '/placements/house-top')).body.page_pictures;
  expect([stored, others]).toEqual([expect.objectContaining({ device: 'desktop', scheme: 'light', top: 900 }), []]);
  expect([Math.abs(stored.left - 640) < 8, Math.abs(stored.width - 320) < 8]).toEqual([true, true]);

  await go(`#/creatives/${house.booked.creative}`);
  const choose = (words: string) => page.locator('.segment', { hasText: words }).click();
  const background = () =>
    page
      .locator('page-preview iframe')
      .contentFrame()
      .locator('body')
      .evaluate((body) => getComputedStyle(body).backgroundColor);
  await choose('Desktop');
  await page.locator('page-preview iframe').contentFrame().getByText('Boots, 79').waitFor();
  const seen = (await page.locator('page-preview').boundingBox())!;
  const ad = (await page.locator('page-preview iframe').boundingBox())!;
  // On the picture the ad begins in the middle, and is a quarter as wide.
  expect([(ad.x - seen.x) / seen.width, ad.width / seen.width].map((part) => Math.round(part * 20) / 20)).toEqual([0.5, 0.25]);
  expect(await background()).toBe('rgba(0, 0, 0, 0)');
  await choose('Dark');
  await eventually(async () => expect(await background()).toBe('rgb(1, 2, 3)'));
  await choose('Phone');
  await page.getByText('on a sketch: its placement has no such picture of its page').waitFor();
  await shootSchemes(page, 'creative-on-sketch');
  expect(troubles).toEqual([]);
  await close();
});

test('an advertiser sees an ad of a proof on the page of the site itself, in a frame and in a tab, and nothing is asked or counted', async () => {
  const { replica, booked, machine } = house;
  const site = await startPublisherSite();
  const text = '<p style="height:1500px;max-width:40rem">The tide turns at noon.</p>';
  const address = site.serve({
    service: { baseUrl: replica.url, apiKey: booked.publisher.api_key, publisherId: booked.publisher.id },
    html: `<h1>The harbour</h1>${text}<div data-adsdk-slot="house-top" data-lazy style="min-height:250px"></div>${text}`,
    scriptAttributes: `data-api-key="${booked.publisher.api_key}" data-publisher-id="${booked.publisher.id}"`,
  });
  await machine('PATCH', '/placements/house-top', { page_url: address });
  const { url } = (await machine('POST', '/proof_links', { campaign_id: booked.campaign })).body;
  const outside = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const asked: string[] = [];
  outside.context().on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(ad|impression|click|event)$/.test(pathname)) asked.push(pathname);
  });
  await outside.goto(new URL(url, replica.url).href);
  const blue = outside.locator('section').filter({ hasText: 'Boots, blue' });
  await blue.locator('iframe').contentFrame().getByText('Boots, ').waitFor();
  const choose = (words: string) => outside.locator('#looks label', { hasText: words }).click();
  expect(await outside.getByText('The page itself').isVisible()).toBe(false);
  await choose('Desktop');
  await choose('The page itself');
  const page = blue.locator('live-page iframe').contentFrame().locator('iframe').contentFrame();
  await page.locator('[data-adsdk-slot=house-top] iframe').contentFrame().getByText('Boots, ').waitFor();
  await blue.getByText('The page shows the ad in its slot. Nothing is counted.').waitFor();
  // The size of a placement without a page is on a sketch.
  const any = outside.locator('section').filter({ hasText: 'Boots, any size' });
  await any.getByText('728 × 90, on a sketch of a page').waitFor();
  await choose('Phone');
  await eventually(async () => expect(await page.locator('body').evaluate(() => innerWidth)).toBe(390));
  await shootSchemes(outside, 'proof-live');
  await expectSound(outside);
  const [tab] = await Promise.all([outside.waitForEvent('popup'), blue.getByRole('button', { name: 'Open it in a tab' }).click()]);
  await tab.locator('[data-adsdk-slot=house-top] iframe').contentFrame().getByText('Boots, ').waitFor();
  expect(asked).toEqual([]);
  await outside.context().close();
});
