import { VASTClient } from '@dailymotion/vast-client';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withClient } from '../../testkit/databases.ts';
import { lookAtAd } from '../../testkit/person.ts';
import { startPrebidCache } from '../../testkit/start-prebid-cache.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { auction, buildPrebid, render } from './setup/prebid-page.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherPage, type PublisherSite } from './setup/start-publisher-site.ts';
import { untilDrawn } from './setup/until-drawn.ts';
import type { Browser, Page } from 'playwright-core';
import { requestFaults, responseFaults } from '../http/auction-schemas.ts';

const FILM = JSON.stringify({
  duration: 15,
  media: [{ url: 'https://cdn.example/a.mp4', type: 'video/mp4', width: 640, height: 360 }],
});

let site: PublisherSite;
let browser: Browser;
let prebid: string;
let service: { readonly baseUrl: string; readonly apiKey: string; readonly publisherId: number };
let databaseUrl: string;

beforeAll(async () => {
  [site, browser, prebid, databaseUrl] = await Promise.all([startPublisherSite(), startBrowser(), buildPrebid(), testDatabase()]);
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'News',
        domain: 'localhost',
        origins: [site.url],
        api_key: 'key',
        placements: [
          { id: 'top', width: 300, height: 250, formats: ['banner'] },
          { id: 'markup', width: 300, height: 250, formats: ['html'] },
          { id: 'feed', width: 300, height: 250, formats: ['native'] },
          { id: 'film', width: 640, height: 360, formats: ['video'] },
        ],
        campaigns: [
          {
            line_items: [
              {
                cpm: 4.5,
                deal_id: 'autumn',
                creatives: [
                  {
                    placement_id: 'top',
                    format: 'banner',
                    content: '{"image":"/static/demo/img/coffee-300x250.svg","alt":"Coffee"}',
                    width: 300,
                    height: 250,
                    click_url: site.landing,
                    advertiser_domain: 'brand.example',
                  },
                  { placement_id: 'markup', content: '<p>Markup of ${GDPR}</p>' },
                  { placement_id: 'film', format: 'video', content: FILM, click_url: site.landing },
                  {
                    placement_id: 'feed',
                    format: 'native',
                    content: '{"title":"A native ad","brand":"Brand","image":"/static/demo/img/coffee-600x500.svg"}',
                    click_url: site.landing,
                    advertiser_domain: 'brand.example',
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const { url } = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  service = { baseUrl: url, apiKey: 'key', publisherId: 1 };
});

interface PrebidPage extends PublisherPage {
  /** The faults of all requests and answers by the schemas of OpenRTB 2.6. */
  readonly invalid: () => Promise<readonly string[]>;
}

const open = async (init = '', at = site): Promise<PrebidPage> => {
  const read: Promise<readonly string[]>[] = [];
  const prepare = (page: Page): void => {
    page.on('response', (response) => {
      if (!response.url().includes('/openrtb2/') || response.status() !== 200) return;
      // Playwright takes a compressed body for text.
      const ofRequest = response.url().includes('gzip=1') ? [] : requestFaults(response.request().postDataJSON());
      read.push(response.json().then((answer) => [...ofRequest, ...responseFaults(answer)]));
    });
  };
  const opened = await at.open(browser, {
    service,
    html: '<main></main>',
    script: false,
    init,
    prepare: (page) => Promise.resolve(prepare(page)),
  });
  await opened.page.addScriptTag({ content: prebid });
  return { ...opened, invalid: async () => (await Promise.all(read)).flat() };
};

const s2s = (more: object = {}): object => ({
  s2sConfig: {
    accountId: '1',
    bidders: ['direct'],
    adapter: 'prebidServer',
    enabled: true,
    timeout: 3_000,
    endpoint: `${service.baseUrl}/openrtb2/auction`,
    syncEndpoint: '',
    extPrebid: { returnallbidstatus: true },
  },
  ...more,
});
const unit = (placement: string, mediaTypes: object = { banner: { sizes: [[300, 250]] } }): object => ({
  code: placement,
  mediaTypes,
  bids: [{ bidder: 'direct', params: { placement } }],
});

const stored = (placement: string, kind: string): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      "select count(*)::int as n from events where placement_id = $1 and kind = $2 and invalid_reason = ''",
      [placement, kind],
    );
    return rows[0]!.n;
  });
const bodyOf = (opened: PublisherPage): Record<string, Record<string, unknown>> =>
  JSON.parse(opened.sentTo('/openrtb2/auction').at(-1)!.body!) as Record<string, Record<string, unknown>>;

const NATIVE = {
  native: {
    ortb: {
      ver: '1.2',
      assets: [
        { id: 11, required: 1, title: { len: 80 } },
        { id: 12, required: 1, img: { type: 3, wmin: 300, hmin: 200 } },
        { id: 13, required: 0, data: { type: 1 } },
      ],
      eventtrackers: [{ event: 1, methods: [1] }],
    },
  },
};

test('a banner wins: it is shown, its impression counts once, and a click on it counts and leads to the advertiser', async () => {
  const opened = await open();
  const { top } = await auction(opened.page, s2s(), [unit('top')]);
  expect(top).toMatchObject([
    {
      ...{ cpm: 4.5, currency: 'USD', bidder: 'direct', mediaType: 'banner', ttl: 55, width: 300, height: 250, dealId: 'autumn' },
      meta: { advertiserDomains: ['brand.example'] },
    },
  ]);
  expect(opened.sentTo('/impression')).toEqual([]);
  expect(await render(opened.page, top![0]!.adId)).toBe('succeeded');
  await eventually(async () => expect(await stored('top', 'impression')).toBe(1));
  const frames = opened.page.frames().slice(1);
  const link = (await Promise.all(frames.map((frame) => frame.locator('a[href*="/click"]').count()))).findIndex((count) => count > 0);
  await untilDrawn(frames[link]!.locator('img'));
  await lookAtAd();
  const [landing] = await Promise.all([opened.page.context().waitForEvent('page'), frames[link]!.locator('a').click()]);
  await landing.waitForURL(site.landing);
  await eventually(async () => expect(await stored('top', 'click')).toBe(1));
  expect([await stored('top', 'impression'), opened.sentTo('/impression').length, opened.faults, await opened.invalid()]).toEqual([
    1,
    1,
    [],
    [],
  ]);
});

const PLAYER = { context: 'instream', playerSize: [640, 360], mimes: ['video/mp4'], protocols: [3, 6], plcmt: 1, maxduration: 30 };
/** As the player of a visitor does it, on another origin. */
const seenBy = async ({ page }: PublisherPage, vast: string): Promise<number> => {
  const [, impression = ''] = /<Impression><!\[CDATA\[([^\]]+)/.exec(vast) ?? [];
  return (await fetch(impression, { headers: { 'User-Agent': await page.evaluate('navigator.userAgent') } })).status;
};

test('a video wins as VAST in the version that the player reads, whose Impression bills, and one that is too long does not', async () => {
  const opened = await open();
  // Prebid.js keeps the VAST in the page, as its address for players.
  const config = s2s({ cache: { useLocal: true } });
  const { film } = await auction(opened.page, config, [unit('film', { video: PLAYER })]);
  expect(film).toMatchObject([{ cpm: 4.5, mediaType: 'video', vastXml: expect.stringMatching(/<VAST version="3\.0">.*<Impression>/) }]);
  expect(opened.sentTo('/impression')).toEqual([]);
  expect(await seenBy(opened, film![0]!.vastXml ?? '')).toBe(200);
  await eventually(async () => expect(await stored('film', 'impression')).toBe(1));
  expect(await auction(opened.page, config, [unit('film', { video: { ...PLAYER, maxduration: 10 } })])).toEqual({});
  expect([opened.faults, await opened.invalid()]).toEqual([[], []]);
});

test('Prebid.js puts a video into Prebid Cache, whose address a player gets: the Impression there bills once', async () => {
  const cache = await startPrebidCache();
  atEnd(() => cache.close());
  const opened = await open();
  const before = await stored('film', 'impression');
  const { film } = await auction(opened.page, s2s({ cache: { url: cache.url } }), [unit('film', { video: PLAYER })]);
  expect(film).toMatchObject([{ cpm: 4.5, mediaType: 'video', vastUrl: `${cache.url}?uuid=${film![0]!.videoCacheKey}` }]);
  expect(cache.kept).toHaveLength(1);
  const player = new VASTClient();
  const { ads } = (await player.get(film![0]!.vastUrl!, {})) as unknown as {
    readonly ads: readonly { readonly impressionURLTemplates: object[] }[];
  };
  expect(ads.map(({ impressionURLTemplates }) => impressionURLTemplates.length)).toEqual([1]);
  for (let i = 0; i < 2; i++) expect(await seenBy(opened, cache.kept[0]!)).toBe(200);
  await eventually(async () => expect(await stored('film', 'impression')).toBe(before + 1));
  expect([opened.sentTo('/impression'), opened.faults, await opened.invalid()]).toEqual([[], [], []]);
});

test('markup has its macros filled; a bid that loses counts nothing', async () => {
  const opened = await open();
  const { markup } = await auction(opened.page, s2s({ ortb2: { regs: { ext: { gdpr: 0 } } } }), [unit('markup')]);
  expect(markup).toMatchObject([{ cpm: 4.5, ad: '<p>Markup of 0</p>' }]);
  await opened.page.waitForTimeout(500);
  expect([opened.sentTo('/impression'), await stored('markup', 'impression'), await opened.invalid()]).toEqual([[], 0, []]);
});

test('a native ad wins: Prebid has its assets and its link, and its impression counts once', async () => {
  const opened = await open();
  const { feed } = await auction(opened.page, s2s(), [unit('feed', NATIVE)]);
  expect(feed).toMatchObject([
    {
      ...{ mediaType: 'native', cpm: 4.5 },
      native: {
        ortb: {
          assets: [
            { id: 11, title: { text: 'A native ad' } },
            { id: 12, img: { url: `${service.baseUrl}/static/demo/img/coffee-600x500.svg` } },
            { id: 13, data: { value: 'Brand' } },
          ],
          link: { url: expect.stringContaining(`${service.baseUrl}/click?t=`) as string },
        },
      },
    },
  ]);
  await render(opened.page, feed![0]!.adId);
  await eventually(async () => expect(await stored('feed', 'impression')).toBe(1));
  expect([opened.sentTo('/impression').length, opened.faults, await opened.invalid()]).toEqual([1, [], []]);
});

test('an ad unit without an ad is a no-bid with its status', async () => {
  const opened = await open();
  const bids = await auction(opened.page, s2s(), [unit('top', { banner: { sizes: [[120, 20]] } }), unit('no-such')]);
  expect(Object.values(bids).flat()).toEqual([]);
  expect([opened.sentTo('/openrtb2/auction').length, await opened.invalid(), opened.faults]).toEqual([1, [], []]);
});

test('a page of another origin is refused', async () => {
  const opened = await open('', await startPublisherSite());
  const answered = opened.page.waitForResponse((response) => response.url().includes('/openrtb2/'));
  expect(Object.values(await auction(opened.page, s2s(), [unit('top')])).flat()).toEqual([]);
  expect((await answered).status()).toBe(403);
});

test("Prebid's floors hold, its compressed requests are read, and its debugging is answered with the trace", async () => {
  const opened = await open();
  const floors = {
    enforcement: { floorDeals: true },
    data: { currency: 'USD', schema: { fields: ['mediaType'] }, values: { banner: 4.51 } },
  };
  const endpoint = `${service.baseUrl}/openrtb2/auction?debug=1`;
  const { s2sConfig } = s2s() as { readonly s2sConfig: object };
  const answered = opened.page.waitForResponse((response) => response.url().includes('/openrtb2/'));
  const bids = await auction(opened.page, { s2sConfig: { ...s2sConfig, endpoint, endpointCompression: true }, floors }, [unit('top')]);
  expect(Object.values(bids).flat()).toEqual([]);
  const response = await answered;
  expect([response.status(), new URL(response.url()).searchParams.get('gzip')]).toEqual([200, '1']);
  expect(await response.json()).toMatchObject({ nbr: 511, ext: { debug: { trace: { imps: [{ impid: 'top', nbr: 511 }] } } } });
});

const TCF_STRING = 'CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA';
const TCF = `window.__tcfapi = (command, version, callback) => callback({ gdprApplies: true, eventStatus: 'tcloaded', tcString: '${TCF_STRING}', listenerId: 1,
  purpose: { consents: { 1: true } }, vendor: { consents: {} }, publisher: { consents: {} } }, true);`;
const GPP_STRING = 'DBABLA~BVVVVVVVVWA.QA';
const GPP = `window.__gpp = (command, callback) => callback({ eventName: 'signalStatus', data: 'ready', listenerId: 1,
  pingData: { signalStatus: 'ready', cmpStatus: 'loaded', gppString: '${GPP_STRING}', applicableSections: [7], parsedSections: {} } }, true);`;

test("the TCF string of Prebid's module is passed on", async () => {
  const opened = await open(TCF);
  const consentManagement = { gdpr: { cmpApi: 'iab', timeout: 2_000, defaultGdprScope: true } };
  expect((await auction(opened.page, s2s({ consentManagement }), [unit('markup')]))['markup']).toMatchObject([
    { ad: '<p>Markup of 1</p>' },
  ]);
  expect(bodyOf(opened)).toMatchObject({ regs: { ext: { gdpr: 1 } }, user: { ext: { consent: TCF_STRING } } });
  expect(await opened.invalid()).toEqual([]);
});

test("the GPP string of Prebid's module is passed on", async () => {
  const opened = await open(GPP);
  const consentManagement = { gpp: { cmpApi: 'iab', timeout: 2_000 } };
  expect((await auction(opened.page, s2s({ consentManagement }), [unit('markup')]))['markup']).toHaveLength(1);
  expect(bodyOf(opened)).toMatchObject({ regs: { gpp: GPP_STRING, gpp_sid: [7] } });
  expect(await opened.invalid()).toEqual([]);
});

test('under the DSA a bid names its advertiser, so that dsaControl lets it through; an ad without one does not bid', async () => {
  const opened = await open();
  const ortb2 = { regs: { ext: { dsa: { dsarequired: 3, pubrender: 2, datatopub: 1 } } } };
  const bids = await auction(opened.page, s2s({ ortb2 }), [unit('top'), unit('markup')]);
  expect(Object.keys(bids)).toEqual(['top']);
  expect(bids['top']).toMatchObject([{ meta: { dsa: { behalf: 'brand.example', paid: 'brand.example', adrender: 0 } } }]);
  expect(await opened.invalid()).toEqual([]);
});
