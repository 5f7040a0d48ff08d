import type { Browser } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { png } from '../../testkit/png.ts';
import { html5Ad, svg } from '../uploads/sample-files.ts';
import type { Replica } from '../setup/start-replica.ts';
import { shootWidths } from './setup/shoot.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type AdminPage, type Api } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherPage, type PublisherSite } from './setup/start-publisher-site.ts';
import { untilDrawn } from './setup/until-drawn.ts';

let browser: Browser;
let replicas: readonly Replica[];
let site: PublisherSite;
let api: Api;
let admin: AdminPage;

beforeAll(async () => {
  [browser, replicas, site] = await Promise.all([startBrowser(), startReplicas(2), startPublisherSite()]);
  api = apiOf(replicas[0]!);
});
beforeEach(async () => {
  admin = await openAdmin(browser, replicas[0]!);
});
afterEach(async () => {
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

interface Booked {
  readonly publisher: { readonly id: number; readonly api_key: string };
  readonly item: { readonly id: number };
}

const bookItem = async (name: string, formats: readonly string[], placements = [name]): Promise<Booked> => {
  const publisher = await api('POST', '/publishers', { name: `Publisher of ${name}`, domain: 'localhost' });
  for (const id of placements) await api('POST', '/placements', { id, width: 300, height: 250, formats, publisher_id: publisher.id });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: `Campaign of ${name}`, ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name, active: true, cpm: 2, ...FLIGHT });
  return { publisher: publisher as unknown as Booked['publisher'], item };
};

const field = (pointer: string) => admin.page.locator(`#field${pointer.replace(/[^a-zA-Z0-9]/g, '-')}`);
const save = () => admin.page.locator('.save-bar button[type=submit]').click();
const heading = (name: string) => admin.page.getByRole('heading', { level: 1, name }).waitFor();
/** Drops a file on the n-th place for files, as a person does from a folder. */
const drop = async (bytes: Buffer, name: string, nth = 0): Promise<void> => {
  const place = admin.page.locator('.file-drop').nth(nth);
  const dataTransfer = await admin.page.evaluateHandle(
    ({ base64, fileName }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], fileName));
      return transfer;
    },
    { base64: bytes.toString('base64'), fileName: name },
  );
  await place.dispatchEvent('dragover', { dataTransfer });
  await place.dispatchEvent('drop', { dataTransfer });
};
const outcome = (nth = 0) => admin.page.locator('.file-outcome').nth(nth);

/** A page on another origin than that of the service, which asks the other replica. */
const openPage = async ({ publisher }: Booked, placement: string): Promise<PublisherPage> => {
  await fetch(`${replicas[1]!.url}/reload`, { method: 'POST' });
  return site.open(browser, {
    service: { baseUrl: replicas[1]!.url, apiKey: publisher.api_key, publisherId: publisher.id },
    html: '<div id="slot" style="min-height:250px"></div>',
    run: `AdSDK.renderAd('${placement}', 'slot')`,
    watched: true,
  });
};

test('a creative is put on several placements of its publisher, and faults name the placement', async () => {
  const names = ['front', 'article', 'side'];
  const { item } = await bookItem('many', ['html'], names);
  await bookItem('theirs', ['html'], ['theirs-top']);
  await api('POST', '/placements', { id: 'for-all', width: 728, height: 90, formats: ['html', 'native'] });
  await admin.go(`#/creatives/new?line_item_id=${item.id}`);
  const boxes = admin.page.locator('fieldset:has(legend:text("Placements")) .choice');
  // A size is not broken in its middle.
  const sizes = ['article (300 × 250)', 'for-all (728 × 90)', 'front (300 × 250)', 'side (300 × 250)'];
  expect(await boxes.allInnerTexts()).toEqual(sizes.map((text) => text.replaceAll(' × ', '\u00A0×\u00A0')));
  for (const name of ['front', 'for-all']) await boxes.filter({ hasText: name }).click();
  await field('/name').fill('Everywhere');
  await field('/content').fill('<b>everywhere</b>');
  await field('/width').fill('400');
  expect((await admin.page.locator('.size-note').allInnerTexts()).sort()).toEqual([
    'Larger than front (300 × 250): not shown there, unless a page asks for a larger size.',
    'Smaller than for-all (728 × 90): a part of it stays empty.',
  ]);
  await shootWidths(admin.page, 'placements');
  await field('/width').fill('');

  await api('DELETE', '/placements/front');
  await save();
  await admin.page.getByText('Placement front does not exist').first().waitFor();
  await shootWidths(admin.page, 'placements-fault');
  await boxes.filter({ hasText: 'front' }).click();
  await boxes.filter({ hasText: 'side' }).click();
  await save();
  await heading('Everywhere');
  const [stored] = (await api('GET', `/creatives?line_item_id=${item.id}`)) as unknown as { placement_ids: string[] }[];
  expect(stored?.placement_ids).toEqual(['for-all', 'side']);
  await admin.go('#/creatives');
  expect(await admin.page.locator('tr', { hasText: 'Everywhere' }).innerText()).toContain('for-all and 1 more');
});

test('a picture is dropped on the form, previewed, and shown by another replica on a page of another origin', async () => {
  const booked = await bookItem('pictured', ['banner']);
  await admin.go(`#/creatives/new?line_item_id=${booked.item.id}&placement_id=pictured`);
  const { page } = admin;
  await drop(svg('<script>alert(1)</script>'), 'drawing.svg');
  await eventually(async () =>
    expect(await outcome().innerText()).toBe('drawing.svg is an SVG that contains <script>: export it again without scripts and links.'),
  );
  await drop(Buffer.alloc(3_000_000, 1), 'huge.png');
  await eventually(async () => expect(await outcome().innerText()).toBe('huge.png has 3.0 MB; at most 2 MB are accepted.'));
  await drop(html5Ad(), 'ad.zip');
  await eventually(async () => expect(await outcome().innerText()).toBe('ad.zip is an HTML5 ad: choose the format html for it.'));
  await shootWidths(admin.page, 'upload-refused');

  await drop(png(600, 500, [214, 90, 49]), 'boots red.png');
  await eventually(async () =>
    expect(await outcome().innerText()).toMatch(/^boots red\.png 600 × 500, \d+ KB\s+Fits pictured \(300 × 250\), sharp on 2× screens\.$/),
  );
  const preview = page.frameLocator('ad-preview iframe').first().locator('img');
  // By its srcset the browser takes it for a picture of 300 × 250 at twice the density.
  await eventually(async () => expect(await preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300));
  expect(await field('/name').inputValue()).toBe('boots red');
  // The same picture in another size is one more choice for the browser.
  await drop(png(300, 250, [214, 90, 49]), 'boots small.png', 1);
  await eventually(async () => expect(await page.locator('.image-row').count()).toBe(2));
  await shootWidths(admin.page, 'upload-banner');
  await save();
  await heading('boots red');

  const shown = await openPage(booked, 'pictured');
  const image = shown.page.frameLocator('#slot iframe').locator('img');
  await untilDrawn(image);
  expect(new URL(await image.evaluate((one: HTMLImageElement) => one.currentSrc)).origin).toBe(replicas[1]!.url);
  expect(new URL(shown.page.url()).origin).not.toBe(replicas[1]!.url);
  await eventually(() => expect(shown.sentTo('/impression')).toHaveLength(1));

  await admin.go('#/creatives');
  const thumbnail = page.locator('tr', { hasText: 'boots red' }).locator('img.thumbnail');
  await untilDrawn(thumbnail);

  // A stored file can be used again.
  await admin.go(`#/creatives/new?line_item_id=${booked.item.id}&placement_id=pictured`);
  await page.getByRole('button', { name: 'Choose an uploaded file' }).first().click();
  await shootWidths(admin.page, 'upload-library');
  await page.locator('dialog button', { hasText: 'boots red.png' }).click();
  await eventually(async () => expect(await field('/name').inputValue()).toBe('boots red'));
  expect(await page.locator('.image-row').count()).toBe(1);
});

test('a file is chosen with the keyboard, in place of being dropped', async () => {
  const { item } = await bookItem('chosen', ['native']);
  await admin.go(`#/creatives/new?line_item_id=${item.id}&placement_id=chosen`);
  const input = admin.page.locator('.file-drop input[type=file]');
  // A screen that opens moves the focus to its heading: the field is focused by the key press itself.
  const [chooser] = await Promise.all([admin.page.waitForEvent('filechooser'), input.press('Enter')]);
  await chooser.setFiles({ name: 'flask.png', mimeType: 'image/png', buffer: png(60, 40) });
  await eventually(async () =>
    expect(await admin.page.getByLabel('Image', { exact: true }).inputValue()).toMatch(/^\/static\/assets\/[0-9a-f]{64}\.png$/),
  );
  await shootWidths(admin.page, 'upload-native');
});

test('an HTML5 ad is dropped on the form, runs on an opaque origin, and its click is counted', async () => {
  const booked = await bookItem('html5', ['html']);
  await admin.go(`#/creatives/new?line_item_id=${booked.item.id}&placement_id=html5`);
  const { page } = admin;
  await drop(html5Ad(), 'boots for snow.zip');
  await eventually(async () =>
    expect(await outcome().innerText()).toMatch(/boots for snow\.zip 300 × 250, \d+ KB\s+Fits html5 \(300 × 250\)\.$/),
  );
  await page.frameLocator('ad-preview iframe').frameLocator('iframe').getByText('Boots for snow').waitFor();
  expect([await field('/width').inputValue(), await field('/height').inputValue()]).toEqual(['300', '250']);
  await field('/click_url').fill(site.landing);
  await shootWidths(admin.page, 'upload-html5');
  await save();
  await heading('boots for snow');

  const shown = await openPage(booked, 'html5');
  const ad = shown.page.frameLocator('#slot iframe').frameLocator('iframe');
  await ad.getByText('Boots for snow').waitFor();
  await untilDrawn(ad.locator('img').first());
  expect(await ad.locator('body').evaluate(() => [self.origin, document.querySelector('img')?.naturalWidth])).toEqual(['null', 60]);
  await eventually(() => expect(shown.sentTo('/impression')).toHaveLength(1));
  const [popup] = await Promise.all([shown.page.context().waitForEvent('page'), ad.locator('#go').click()]);
  await popup.waitForURL(site.landing);
  expect(site.landings()).toBe(1);

  await admin.go('#/creatives');
  expect(await page.locator('tr', { hasText: 'boots for snow' }).locator('.thumbnail').innerText()).toBe('HTML5');
  await shootWidths(admin.page, 'creatives-list');

  await fetch(`${replicas[0]!.url}/api/assets?name=unused.svg`, { method: 'PUT', body: svg('<circle r="99" fill="teal"/>').toString() });
  await admin.turn('#/files');
  const unused = page.locator('tr', { hasText: 'unused.svg' });
  await unused.waitFor();
  await shootWidths(admin.page, 'files');
  await unused.getByRole('button', { name: 'Delete unused.svg' }).click();
  await page.locator('dialog button', { hasText: 'Delete' }).click();
  await page.getByText('File “unused.svg” was deleted.').waitFor();
  expect(await page.locator('tr', { hasText: 'boots for snow' }).innerText()).toMatch(/300 × 250, \d+ KB[^]*boots for snow/);
  expect(await page.getByRole('button', { name: /^Delete boots for snow/ }).count()).toBe(0);
});
