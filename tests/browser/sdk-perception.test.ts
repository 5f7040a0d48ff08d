import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'a', format: 'html', content: '<p>A</p>' },
    { placement: 'b', format: 'html', content: '<p>B</p>' },
    { placement: 'video', format: 'html', content: '<video width="300" height="250"></video>' },
    { placement: 'native', format: 'native', content: '{"title":"Tea"}' },
  ]);
});

const SLOT = '<div id="slot"></div>';
const open = (html: string, placement = 'a', more: object = {}): Promise<PublisherPage> =>
  publisher.open({ html, run: `AdSDK.renderAd('${placement}', 'slot')`, ...more });

test.each([
  ['not displayed', `<div id="around" style="display:none">${SLOT}</div>`],
  ['invisible', `<div id="around" style="visibility:hidden">${SLOT}</div>`],
  ['transparent', `<div id="around" style="opacity:0">${SLOT}</div>`],
  ['one pixel wide', `<div id="around" style="width:1px;overflow:hidden">${SLOT}</div>`],
])('a slot that is %s requests no ad until it is shown', async (_, html) => {
  const opened = await open(html);
  await opened.page.waitForTimeout(700);
  expect(opened.sent).toEqual([]);
  await opened.page.evaluate(() => document.querySelector('#around')!.removeAttribute('style'));
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
});

test.each([
  ['covered', `${SLOT}<div id="over" style="position:fixed;inset:0;background:white"></div>`],
  ['cut off to a pixel', `<div style="height:1px;overflow:hidden">${SLOT}</div><div id="over" style="height:300px">Text</div>`],
  ['in a box of no height', `<div style="height:0;overflow:clip;width:300px">${SLOT}</div><div id="over" style="height:300px">Text</div>`],
])('an ad that is %s gives no impression', async (_, html) => {
  const opened = await open(html);
  await opened.page.locator('#slot iframe').waitFor({ state: 'attached' });
  await opened.page.waitForTimeout(800);
  expect(opened.sentTo('/impression')).toHaveLength(0);
});

test('an ad under a dialog gives its impression when the dialog is gone', async () => {
  const opened = await open(`${SLOT}<div id="over" style="position:fixed;inset:0;background:white"></div>`);
  await opened.page.locator('#slot iframe').waitFor({ state: 'attached' });
  await opened.page.waitForTimeout(400);
  await opened.page.evaluate(() => document.querySelector('#over')!.remove());
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
});

test('of two ads stacked in one place only the upper gives an impression', async () => {
  const at = 'position:absolute;left:0;top:0;width:300px;height:250px';
  const opened = await publisher.open({
    html: `<div id="lower" style="${at}"></div><div id="upper" style="${at}"></div>`,
    run: `Promise.all([AdSDK.renderAd('a', 'lower'), AdSDK.renderAd('b', 'upper')])`,
  });
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
  await opened.page.waitForTimeout(600);
  expect(opened.sentTo('/impression')).toHaveLength(1);
});

test('an ad below the fold gives its impression when it is rendered, as the standard counts it', async () => {
  const opened = await open(`<div style="height:3000px"></div>${SLOT}`);
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
});

test('viewable ads are sent by default and counted beside the impressions of the day', async () => {
  const opened = await open(SLOT, 'b', { watched: true });
  await eventually(() => expect(opened.sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['viewable']));
  await eventually(async () => expect(await publisher.service.stored('b', 'event', 'viewable')).toBe(1));
});

test('an ad with a video is viewable after two seconds', async () => {
  const opened = await open(SLOT, 'video', { watched: true });
  await eventually(() => expect(opened.sentTo('/event')).toHaveLength(1));
  // The page's own clock: this process may look late. It has an entry when the answer has come.
  const sentAt = (to: string): Promise<number | undefined> =>
    opened.page.evaluate(
      (part) => performance.getEntriesByType('resource').find(({ name }) => new URL(name).pathname.startsWith(part))?.startTime,
      to,
    );
  await eventually(async () => expect((await sentAt('/event'))! - (await sentAt('/impression'))!).toBeGreaterThan(1700));
});

test("a script of the page that clicks a native ad is no person's click", async () => {
  const opened = await publisher.open({ html: SLOT });
  await opened.page.evaluate(async () => {
    await AdSDK.renderNativeAd('native', 'slot', () => '<a id="go" href="#top" data-ad-event="like">Like</a><p id="text">Tea</p>');
    document.querySelector<HTMLElement>('#go')!.click();
    document.querySelector<HTMLElement>('#text')!.click();
  });
  await opened.page.waitForTimeout(300);
  expect([opened.sentTo('/click').length, opened.sentTo('/event').length]).toEqual([0, 0]);
  await opened.page.locator('#text').click();
  await eventually(() => expect(opened.sentTo('/click')).toHaveLength(1));
});
