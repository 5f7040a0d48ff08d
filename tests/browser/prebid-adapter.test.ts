import type { Browser } from 'playwright-core';
import { lookAtAd } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { auction, buildPrebid, render } from './setup/prebid-page.ts';
import { startAdService, type AdService } from './setup/start-ad-service.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherPage, type PublisherSite } from './setup/start-publisher-site.ts';
import { requestFaults } from '../http/auction-schemas.ts';

const FILM = JSON.stringify({
  duration: 15,
  media: [{ url: 'https://cdn.example/a.mp4', type: 'video/mp4', width: 640, height: 360 }],
});

let site: PublisherSite;
let browser: Browser;
let prebid: string;
let service: AdService;

beforeAll(async () => {
  [site, browser, prebid] = await Promise.all([startPublisherSite(), startBrowser(), buildPrebid()]);
  service = await startAdService([
    {
      placement: 'top',
      format: 'banner',
      content: '{"image":"/static/demo/img/coffee-300x250.svg","alt":"Coffee"}',
      creativeSize: [300, 250],
      clickUrl: site.landing,
    },
    {
      placement: 'feed',
      format: 'native',
      content: '{"title":"A native ad","image":"/static/demo/img/coffee-600x500.svg"}',
      clickUrl: site.landing,
    },
    { placement: 'film', format: 'video', content: FILM, clickUrl: site.landing },
    { placement: 'markup', format: 'html', content: '<p>${GDPR} ${GDPR_CONSENT} ${GPP}</p>' },
  ]);
  const answer = await fetch(`${service.baseUrl}/api/publishers/${service.publisherId}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ origins: [site.url] }),
  });
  expect(answer.status).toBe(200);
});

/** A page with stock Prebid.js and the adapter beside it. `script`: attributes of the adapter's element. */
const open = async (script: Readonly<Record<string, string>> = {}, at = site, init = ''): Promise<PublisherPage> => {
  const opened = await at.open(browser, { service, html: '<main></main>', script: false, init });
  await opened.page.addScriptTag({ content: prebid });
  await opened.page.evaluate(
    ([src, attributes]) =>
      new Promise((resolve, reject) => {
        const element = Object.assign(document.createElement('script'), { src, onload: resolve, onerror: reject });
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        document.head.append(element);
      }),
    [`${service.baseUrl}/static/sdk/prebid-adapter.min.js`, { 'data-publisher-id': String(service.publisherId), ...script }] as const,
  );
  return opened;
};

const unit = (placement: string, mediaTypes: object = { banner: { sizes: [[300, 250]] } }, bidder = 'adserver'): object => ({
  code: placement,
  mediaTypes,
  bids: [{ bidder, params: { placement } }],
});
const NATIVE = {
  native: {
    ortb: {
      ver: '1.2',
      assets: [
        { id: 1, required: 1, title: { len: 80 } },
        { id: 2, required: 1, img: { type: 3, wmin: 300, hmin: 200 } },
      ],
      eventtrackers: [{ event: 1, methods: [1] }],
    },
  },
};

test('a banner and a native ad of one request win, are shown, and count once each', async () => {
  const opened = await open();
  const { top, feed } = await auction(opened.page, {}, [unit('top'), unit('feed', NATIVE)]);
  const path = `/openrtb2/auction/${service.publisherId}`;
  expect(opened.sentTo(path)).toHaveLength(1);
  expect(opened.sent.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
  expect(requestFaults(JSON.parse(opened.sentTo(path)[0]!.body!))).toEqual([]);
  expect(top).toMatchObject([{ cpm: 1, currency: 'USD', bidder: 'adserver', mediaType: 'banner', ttl: 55, width: 300, height: 250 }]);
  expect(feed).toMatchObject([
    { mediaType: 'native', native: { ortb: { assets: [{ id: 1, title: { text: 'A native ad' } }, { id: 2 }] } } },
  ]);
  await opened.page.waitForTimeout(300);
  expect(opened.sentTo('/impression')).toEqual([]);
  expect(await render(opened.page, top![0]!.adId)).toBe('succeeded');
  await render(opened.page, feed![0]!.adId);
  await eventually(async () =>
    expect([await service.stored('top', 'impression'), await service.stored('feed', 'impression')]).toEqual([1, 1]),
  );
  await lookAtAd();
  const frames = opened.page.frames().slice(1);
  const links = await Promise.all(frames.map((frame) => frame.locator('a[href*="/click"] img').count()));
  const [landing] = await Promise.all([
    opened.page.context().waitForEvent('page'),
    frames[links.findIndex((count) => count > 0)]!.locator('a').click(),
  ]);
  await landing.waitForURL(site.landing);
  await eventually(async () => expect(await service.stored('top', 'click')).toBe(1));
  expect([opened.sentTo('/impression').length, opened.faults]).toEqual([2, []]);
});

test('a video wins as VAST for the player that the ad unit describes, and has no notice beside its Impression', async () => {
  const opened = await open();
  const player = { context: 'instream', playerSize: [640, 360], mimes: ['video/mp4'], protocols: [3, 6], maxduration: 30 };
  const config = { cache: { useLocal: true } };
  const { film } = await auction(opened.page, config, [unit('film', { video: player })]);
  expect(film).toMatchObject([
    { cpm: 1, mediaType: 'video', width: 640, height: 360, vastXml: expect.stringMatching(/<VAST version="3\.0">.*<Impression>/) },
  ]);
  const body = opened.sentTo(`/openrtb2/auction/${service.publisherId}`)[0]!.body!;
  expect(requestFaults(JSON.parse(body))).toEqual([]);
  expect(JSON.parse(body).imp[0].video).toEqual({ mimes: ['video/mp4'], protocols: [3, 6], maxduration: 30, w: 640, h: 360 });
  expect(await auction(opened.page, config, [unit('film', { video: { ...player, maxduration: 10 } })])).toEqual({});
  expect([opened.sentTo('/impression'), opened.faults]).toEqual([[], []]);
});

const TCF = `window.__tcfapi = (command, version, callback) => callback({ gdprApplies: true, tcString: 'CONSENT', eventStatus: 'tcloaded',
  cmpStatus: 'loaded', listenerId: 1, purpose: { consents: {}, legitimateInterests: {} }, vendor: { consents: {}, legitimateInterests: {} } }, true);`;
/** US national, with an opt-out of sale. */
const GPP_STRING = 'DBABLA~BVVVVVVVVWA.QA';
const GPP = `window.__gpp = (command, callback) => callback({ eventName: 'signalStatus', data: 'ready', listenerId: 1,
  pingData: { signalStatus: 'ready', cmpStatus: 'loaded', gppString: '${GPP_STRING}', applicableSections: [7], parsedSections: {} } }, true);`;

test.each([
  {
    signal: 'TCF',
    init: TCF,
    consentManagement: { gdpr: { cmpApi: 'iab', timeout: 1000, defaultGdprScope: true } },
    sent: { regs: { ext: { gdpr: 1 } }, user: { ext: { consent: 'CONSENT' } } },
    ad: '<p>1 CONSENT </p>',
  },
  {
    signal: 'GPP',
    init: GPP,
    consentManagement: { gpp: { cmpApi: 'iab', timeout: 1000 } },
    sent: { regs: { gpp: GPP_STRING, gpp_sid: [7] } },
    ad: `<p>  ${GPP_STRING}</p>`,
  },
])('the $signal string of the page goes along, and fills the macros of markup', async ({ init, consentManagement, sent, ad }) => {
  const opened = await open({}, site, init);
  const { markup } = await auction(opened.page, { consentManagement }, [unit('markup')]);
  const body = JSON.parse(opened.sentTo(`/openrtb2/auction/${service.publisherId}`)[0]!.body!) as object;
  expect(body).toMatchObject(sent);
  expect(requestFaults(body)).toEqual([]);
  expect(markup).toMatchObject([{ ad }]);
});

test('the adapter has the name and the server that its script says; what is wrong is a no-bid', async () => {
  const opened = await open({ 'data-bidder': 'direct', 'data-base-url': service.baseUrl });
  const bids = await auction(opened.page, {}, [unit('top', undefined, 'direct'), unit('no-such', undefined, 'direct')]);
  expect(bids['top']).toMatchObject([{ bidder: 'direct' }]);
  expect(bids['no-such'] ?? []).toEqual([]);
  const invalid = await auction(opened.page, {}, [
    { code: 'x', mediaTypes: { banner: { sizes: [[300, 250]] } }, bids: [{ bidder: 'direct', params: {} }] },
  ]);
  expect(Object.values(invalid).flat()).toEqual([]);
  expect(opened.faults).toEqual([]);
});

test('a page of an origin that the publisher does not list gets no bid', async () => {
  const elsewhere = await startPublisherSite();
  const opened = await open({}, elsewhere);
  expect(Object.values(await auction(opened.page, {}, [unit('top')])).flat()).toEqual([]);
  const [refused] = opened.sentTo(`/openrtb2/auction/${service.publisherId}`);
  expect(refused).toBeDefined();
});
