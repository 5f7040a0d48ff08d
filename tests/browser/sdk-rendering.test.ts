import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher((landing) => [
    {
      placement: 'html',
      format: 'html',
      size: [320, 100],
      content: `<p>Shown</p><script>document.write('<a id=go href="${landing}">Go</a>')</script>`,
    },
    {
      placement: 'top-link',
      format: 'html',
      content: `<a id="go" target="_top" href="${landing}"><b>Go</b></a><a id="skip" href="#x">Skip</a>`,
    },
    {
      placement: 'events',
      format: 'html',
      content: `<script>var early = typeof AdSDK_Creative_Event;</script>
          <button id="like" onclick="AdSDK_Creative_Event('like')">Like</button><div id="open" onclick="window.open('${landing}')">Open</div>
          <script>document.body.append(early)</script>`,
    },
    {
      placement: 'banner',
      format: 'banner',
      content: JSON.stringify({ image: '/a.png', alt: 'A banner', images: [{ url: '/a2.png', width: 600, height: 500 }] }),
      clickUrl: landing,
    },
    {
      placement: 'native',
      format: 'native',
      clickUrl: landing,
      content: JSON.stringify({
        title: 'Tea & <b>biscuits</b>',
        image: { url: 'https://images.invalid/a.png', w: 10, h: 10 },
        click: 'javascript:alert(1)',
        background: 'data:text/html,x',
      }),
    },
    {
      placement: 'tracked',
      format: 'native',
      content: JSON.stringify({
        title: 'Tea',
        impression_trackers: ['javascript:alert(1)', ...Array.from({ length: 12 }, (_, n) => `https://pixels.invalid/shown/${n}`)],
        click_trackers: ['https://pixels.invalid/clicked'],
      }),
    },
  ]);
});

const open = (html = '<div id="slot"></div>', init = ''): Promise<PublisherPage> => publisher.open({ html, init });
const render = ({ page }: PublisherPage, placement: string): Promise<boolean> =>
  page.evaluate((id) => AdSDK.renderAd(id, 'slot'), placement);

/** Rendered by a script of the page, so that the visitor's click is the first user gesture. */
const show = async (placement: string): Promise<PublisherPage> => {
  const opened = await publisher.open({ html: '<div id="slot"></div>', run: `AdSDK.renderAd('${placement}', 'slot')` });
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
  return opened;
};

test('an html ad is shown in a sandboxed frame of its size, and its impression is requested once', async () => {
  const before = await publisher.service.stored('html', 'impression');
  const opened = await open();
  expect(await render(opened, 'html')).toBe(true);
  const frame = opened.page.locator('#slot iframe');
  expect(await frame.getAttribute('sandbox')).toBe('allow-scripts allow-popups allow-popups-to-escape-sandbox');
  expect(await frame.getAttribute('srcdoc')).toContain('Shown');
  expect(await frame.boundingBox()).toMatchObject({ width: 320, height: 100 });
  await opened.page.waitForTimeout(300);
  expect(opened.sentTo('/impression')).toHaveLength(1);
  expect(opened.sentTo('/impression')[0]!.headers).not.toMatchObject({ referer: expect.stringMatching(/./) });
  await eventually(async () => expect(await publisher.service.stored('html', 'impression')).toBe(before + 1));
});

test('the impression is requested only after the creative has loaded', async () => {
  const opened = await open('<div id="slot"></div>');
  let release = (): void => {};
  await opened.page.route('**/a.png', async (route) => {
    await new Promise<void>((resolve) => (release = resolve));
    await route.abort();
  });
  await opened.page.route('**/a2.png', (route) => route.abort());
  const rendered = render(opened, 'banner');
  await eventually(() => expect(opened.sentTo('/ad')).toHaveLength(1));
  await opened.page.locator('#slot iframe').waitFor();
  await opened.page.waitForTimeout(200);
  expect(opened.sentTo('/impression')).toHaveLength(0);
  release();
  await rendered;
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
});

test('a link of a creative without SDK code opens a tab, and its clicks count once', async () => {
  const opened = await show('html');
  const link = opened.page.frameLocator('#slot iframe').locator('#go');
  const [tab] = await Promise.all([opened.page.waitForEvent('popup'), link.click()]);
  await tab.waitForURL(publisher.site.landing);
  expect(await tab.evaluate(() => opener)).toBeNull();
  await link.click();
  await opened.page.waitForTimeout(300);
  expect(opened.sentTo('/click')).toHaveLength(1);
  await eventually(async () => expect(await publisher.service.stored('html', 'click')).toBe(1));
});

test('a link to _top opens a tab although the sandbox blocks it, and a link inside the creative is not a click', async () => {
  const opened = await show('top-link');
  const frame = opened.page.frameLocator('#slot iframe');
  // It opens a tab, too: of the page itself.
  await Promise.all([opened.page.waitForEvent('popup'), frame.locator('#skip').click()]);
  await opened.page.waitForTimeout(200);
  expect(opened.sentTo('/click')).toHaveLength(0);
  const [tab] = await Promise.all([opened.page.waitForEvent('popup'), frame.locator('#go b').click()]);
  await tab.waitForURL(publisher.site.landing);
  await eventually(() => expect(opened.sentTo('/click')).toHaveLength(1));
  expect(opened.page.url()).toContain(publisher.site.url);
});

test('a click on a banner opens its destination and counts once, and the page does not follow the redirect', async () => {
  const opened = await show('banner');
  const before = publisher.site.landings();
  const [tab] = await Promise.all([opened.page.waitForEvent('popup'), opened.page.frameLocator('#slot iframe').locator('a').click()]);
  await tab.waitForURL(publisher.site.landing);
  await eventually(async () => expect(await publisher.service.stored('banner', 'click')).toBe(1));
  await opened.page.waitForTimeout(200);
  expect(publisher.site.landings()).toBe(before + 1);
  expect(await opened.signals()).toEqual([]);
});

test('AdSDK_Creative_Event exists before the creative and sends an event, not a click; opening by script is a click', async () => {
  const opened = await show('events');
  const frame = opened.page.frameLocator('#slot iframe');
  expect(await frame.locator('body').innerText()).toContain('function');
  await frame.locator('#like').click();
  await eventually(() => expect(opened.sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['like']));
  await eventually(async () => expect(await publisher.service.stored('events', 'event', 'like')).toBe(1));
  expect(opened.sentTo('/click')).toHaveLength(0);
  await Promise.all([opened.page.waitForEvent('popup'), frame.locator('#open').click()]);
  await eventually(() => expect(opened.sentTo('/click')).toHaveLength(1));
});

test('a native ad is rendered by the template, with safe URLs, an escape helper, clickUrl, events and one click', async () => {
  const opened = await open('<div id="slot" data-disable-reporting="true"></div>');
  const assets = await opened.page.evaluate(async () => {
    let seen: unknown;
    await AdSDK.renderNativeAd('native', 'slot', (given, { escapeHTML }) => {
      seen = given;
      return (
        `<h3>${escapeHTML(given['title'])}</h3><a id="more" href="${escapeHTML(given.clickUrl)}" target="_blank"><i>More</i></a>` +
        `<button id="like" data-ad-event="like"><span>Like</span></button><button id="odd" data-ad-event="a&b">Odd</button>`
      );
    });
    return seen;
  });
  expect(assets).toEqual({
    title: 'Tea & <b>biscuits</b>',
    image: { url: 'https://images.invalid/a.png', w: 10, h: 10 },
    clickUrl: publisher.site.landing,
  });
  expect(await opened.page.locator('#slot h3').textContent()).toBe('Tea & <b>biscuits</b>');
  expect(await opened.page.locator('#slot h3 b').count()).toBe(0);
  expect(opened.sentTo('/impression')).toHaveLength(1);

  await opened.page.locator('#like span').click();
  await opened.page.locator('#odd').click();
  await eventually(() => expect(opened.sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['like', 'a&b']));
  expect(opened.sentTo('/click')).toHaveLength(0);
  await Promise.all([opened.page.waitForEvent('popup'), opened.page.locator('#more i').click()]);
  await opened.page.locator('#slot h3').click();
  await opened.page.waitForTimeout(200);
  expect(opened.sentTo('/click')).toHaveLength(1);
  await eventually(async () => expect(await publisher.service.stored('native', 'impression')).toBeGreaterThan(0));
});

test("a bidder's trackers are requested once, as at most ten images without a referrer, and are not passed to the template", async () => {
  const opened = await open();
  const pixels: string[] = [];
  await opened.page.route('https://pixels.invalid/**', (route) => {
    const request = route.request();
    pixels.push([request.resourceType(), new URL(request.url()).pathname, request.headers()['referer']].join(' ').trim());
    return route.fulfill({ status: 204 });
  });
  const assets = await opened.page.evaluate(async () => {
    let seen: unknown;
    await AdSDK.renderNativeAd('tracked', 'slot', (given) => {
      seen = given;
      return '<a href="#top">Not a click</a><p>Tea</p>';
    });
    return seen;
  });
  expect(assets).toEqual({ title: 'Tea' });
  const shown = Array.from({ length: 10 }, (_, n) => `image /shown/${n}`);
  await eventually(() => expect([...pixels].sort()).toEqual(shown));
  await opened.page.locator('#slot a').click();
  await opened.page.locator('#slot p').click();
  await opened.page.locator('#slot p').click();
  await eventually(() => expect([...pixels].sort()).toEqual(['image /clicked', ...shown]));
  await opened.page.waitForTimeout(200);
  expect(pixels).toHaveLength(11);
});

test('a template that throws gives an error and noAd, but no impression', async () => {
  const opened = await open();
  const shown = await opened.page.evaluate(() =>
    AdSDK.renderNativeAd('native', 'slot', () => {
      throw new Error('no such asset');
    }),
  );
  expect(shown).toBe(false);
  expect(await opened.signals()).toEqual(['error native no such asset', 'noAd native 1']);
  expect(opened.sentTo('/impression')).toHaveLength(0);
  expect(opened.faults).toEqual([]);
});

test('a slot that is rendered again shows only the new ad, with one impression per ad', async () => {
  const opened = await open();
  await render(opened, 'html');
  await render(opened, 'banner');
  expect(await opened.page.locator('#slot iframe').count()).toBe(1);
  expect(opened.sentTo('/impression')).toHaveLength(2);
  const overtaken = await opened.page.evaluate(() => Promise.all([AdSDK.renderAd('html', 'slot'), AdSDK.renderAd('banner', 'slot')]));
  expect(overtaken).toEqual([false, true]);
  expect(opened.sentTo('/impression')).toHaveLength(3);
});
