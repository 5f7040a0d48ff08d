import { request } from 'node:http';
import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';
import { untilDrawn } from './setup/until-drawn.ts';

declare const AdSDK: AdSDK;

let publisher: Publisher;

const IMAGE = '/static/demo/img/coffee-300x250.svg';

beforeAll(async () => {
  publisher = await startPublisher(
    (landing) => [
      {
        placement: 'banner',
        format: 'banner',
        content: JSON.stringify({ image: IMAGE, images: [{ url: IMAGE, width: 600, height: 500 }] }),
      },
      {
        placement: 'native',
        format: 'native',
        content: JSON.stringify({ title: '/ month', image: { url: IMAGE }, click: '/static/demo/landing.html' }),
      },
      {
        placement: 'markup',
        format: 'html',
        content: `<style>body{background:url(${IMAGE})}</style><a href="/static/demo/landing.html"><img src="${IMAGE}"></a>`,
      },
      {
        placement: 'macros',
        format: 'html',
        clickUrl: landing,
        content:
          '<a id="go" href="${CLICK_URL}">Go</a><p id="all">${CLICK_URL_ENC}|${CACHEBUSTER}|${GDPR}|${GDPR_CONSENT}|${GPP}|${AUCTION_PRICE}|${OTHER}</p>',
      },
      {
        placement: 'storage',
        format: 'html',
        content: `<meta name="adsdk:frame" content="storage"><p></p><script>
          let page; try { page = parent.document.title } catch (error) { page = error.name }
          localStorage.setItem('vendor', 'kept');
          document.querySelector('p').textContent = [origin, localStorage.getItem('vendor'), page, typeof AdSDK_Creative_Event].join(' ');
        </script><a id="go" href="${landing}">Go</a>`,
      },
    ],
    { CREATIVE_ORIGIN: 'http://creatives.localhost:1' },
  );
});

const open = async (placement: string): Promise<PublisherPage> => {
  const opened = await publisher.open({ html: '<div id="slot"></div>', run: `AdSDK.renderAd('${placement}', 'slot')` });
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
  return opened;
};
const bodyOf = (opened: PublisherPage) => opened.page.frameLocator('#slot iframe').locator('body');

test.each(['banner', 'markup'])('every image of a %s is loaded from the ad server, and links lead there', async (placement) => {
  const opened = await open(placement);
  const frame = bodyOf(opened);
  await untilDrawn(frame.locator('img'));
  if (placement === 'markup') {
    expect(await frame.locator('a').evaluate((link: HTMLAnchorElement) => link.href)).toBe(
      `${publisher.service.baseUrl}/static/demo/landing.html`,
    );
    expect(await frame.evaluate((body) => getComputedStyle(body).backgroundImage)).toContain(publisher.service.baseUrl);
  }
});

test('paths in native assets are addresses on the ad server, texts stay', async () => {
  const opened = await publisher.open({ html: '<div id="slot"></div>' });
  const assets = await opened.page.evaluate(
    () => new Promise((resolve) => void AdSDK.renderNativeAd('native', 'slot', (given) => (resolve(given), ''))),
  );
  const { baseUrl } = publisher.service;
  expect(assets).toEqual({ title: '/ month', image: { url: baseUrl + IMAGE }, click: `${baseUrl}/static/demo/landing.html` });
});

test('the macros of a direct html creative are filled, and /ad returns them unchanged', async () => {
  const opened = await publisher.open({
    html: '<div id="slot"></div>',
    run: `AdSDK.setConsent({ gdpr: false, consent: 'C?', gpp: 'DBAA' }); AdSDK.renderAd('macros', 'slot')`,
  });
  const all = bodyOf(opened).locator('#all');
  await eventually(async () => expect(await all.count()).toBe(1));
  const [click, cachebuster, ...others] = (await all.innerText()).split('|');
  const address = decodeURIComponent(click!);
  expect(address).toMatch(new RegExp(`^${publisher.service.baseUrl}/click\\?t=`));
  expect(cachebuster).toMatch(/^\d+$/);
  expect(others).toEqual(['0', 'C%3F', 'DBAA', '1', '${OTHER}']);

  const [tab] = await Promise.all([opened.page.waitForEvent('popup'), bodyOf(opened).locator('#go').click()]);
  await tab.waitForURL(publisher.site.landing);
  await eventually(async () => expect(await publisher.service.stored('macros', 'click')).toBe(1));

  const answer = await opened.page.evaluate(() => AdSDK.fetchAd('macros'));
  expect(answer.seatbid[0]!.bid[0]!.adm).toContain('${CLICK_URL}');
});

test('a creative that asks for storage runs on the creative origin; all others on an opaque one', async () => {
  const { port } = new URL(publisher.service.baseUrl);
  const creativeOrigin = `http://creatives.localhost:${port}`;
  const opened = await publisher.open({
    html: '<div id="slot"></div><div id="other"></div>',
    prepare: (page) =>
      // The service does not know its own port before it listens, so that CREATIVE_ORIGIN names another.
      page.route('**/ad', async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        expect(answer.ext.creative_origin).toBe('http://creatives.localhost:1');
        await route.fulfill({ response, json: { ...answer, ext: { ...answer.ext, creative_origin: creativeOrigin } } });
      }),
    run: `AdSDK.renderAd('storage', 'slot'); AdSDK.renderAd('markup', 'other')`,
  });
  await eventually(async () => expect(await bodyOf(opened).locator('p').innerText()).toBe(`${creativeOrigin} kept SecurityError function`));
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(2));
  expect(await opened.page.locator('#slot iframe').getAttribute('sandbox')).toContain('allow-same-origin');
  expect(await opened.page.locator('#other iframe').getAttribute('sandbox')).not.toContain('allow-same-origin');
  await Promise.all([opened.page.waitForEvent('popup'), bodyOf(opened).locator('#go').click()]);
  await eventually(() => expect(opened.sentTo('/click')).toHaveLength(1));
});

test('the creative origin serves the frame of creatives and no other page', async () => {
  const ask = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(publisher.service.baseUrl);
      request({ hostname, port, path, headers: { Host: 'creatives.localhost:1' } }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });
  expect(
    await Promise.all(['/static/sdk/frame.html', '/static/admin.html', '/api/publishers', '/metrics', '/static/demo/'].map(ask)),
  ).toEqual([200, 404, 404, 404, 404]);
});
