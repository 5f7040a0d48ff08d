import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import type { AdSDK } from '../../sdk/src/contract.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { tcfString, vendors } from '../context/consent/consent-strings.ts';
import { GRANTED, VENDOR } from '../context/consent/privacy-table.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherPage, type PublisherSite } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

interface BidRequest {
  readonly site: { readonly page: string };
  readonly device: { readonly ip: string };
  readonly user: { readonly id?: string };
}

let site: PublisherSite;
let browser: Browser;
let databaseUrl: string;
let service: { readonly baseUrl: string; readonly apiKey: string; readonly publisherId: number };
/** What the bidder received, in order. */
const received: BidRequest[] = [];

beforeAll(async () => {
  const bidder = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk) => (text += chunk));
    req.on('end', () => {
      received.push(JSON.parse(text) as BidRequest);
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => bidder.listen(0, '127.0.0.1', resolve));
  atEnd(() => bidder.close());
  [site, browser, databaseUrl] = await Promise.all([startPublisherSite(), startBrowser(), testDatabase()]);
  const creatives = [{ placement_id: 'top' }];
  const endpoint = `http://127.0.0.1:${(bidder.address() as AddressInfo).port}/`;
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'News',
        domain: 'localhost',
        api_key: 'key',
        placements: [{ id: 'top', width: 300, height: 250, formats: ['html'] }],
        campaigns: [
          {
            line_items: [
              { name: 'bidder', type: 'programmatic', cpm: null, endpoint, gvl_id: VENDOR, creatives },
              { name: 'capped', cpm: 9, frequency_cap: 5, creatives: [{ placement_id: 'top', content: '<p>capped</p>' }] },
              { name: 'open', cpm: 1, creatives: [{ placement_id: 'top', content: '<p>open</p>' }] },
            ],
          },
        ],
      },
    ],
  });
  const { url } = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: '2s' } });
  service = { baseUrl: url, apiKey: 'key', publisherId: 1 };
});

const tcf = (tcString: string, consents: object): string =>
  `{ gdprApplies: true, eventStatus: 'useractioncomplete', tcString: '${tcString}', purpose: { consents: ${JSON.stringify(consents)} }, publisher: { consents: {} } }`;
const DENIED = tcf(tcfString({ vendors: vendors([]), disclosed: [VENDOR] }), {});
const ACCEPTED = tcf(GRANTED, { 1: true, 2: true, 7: true });
/** A platform that shows its dialog until `decide` is called. */
const DIALOG = `{
  let answer = { gdprApplies: true, eventStatus: 'cmpuishown', tcString: '', purpose: { consents: {} }, publisher: { consents: {} } };
  const listeners = [];
  window.__tcfapi = (command, version, callback) => { listeners.push(callback); callback(answer, true) };
  window.decide = (given) => { answer = given; listeners.forEach((listener) => listener(answer, true)) };
}`;
const GPP_OPT_OUT = `window.__gpp = (command, callback) => callback({ eventName: 'signalStatus', data: 'ready',
  pingData: { signalStatus: 'ready', gppString: 'DBABLA~BVVVVVVVVWA.QA', applicableSections: [7] } }, true);`;
const GPC = `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });`;

/** The three columns of the table in docs/privacy.md. */
interface Allowed {
  readonly remember: boolean;
  readonly measure: boolean;
  readonly share: boolean;
}
const EVERYTHING: Allowed = { remember: true, measure: true, share: true };
const NOT_SHARED: Allowed = { ...EVERYTHING, share: false };
const NOTHING: Allowed = { remember: false, measure: false, share: false };

const rowOf = (jti: string): Promise<unknown> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select user_hash <> '' as user, s.jti is not null as signals
       from events left join event_signals s using (jti, kind, event_type, screened) where jti = $1`,
      [jti],
    );
    return rows[0] as unknown;
  });

/** What the page keeps and shows, the bidder receives, and Postgres stores of the next ad. */
const nextAd = async (opened: PublisherPage): Promise<unknown> => {
  const bidsBefore = received.length;
  const hitsBefore = opened.sentTo('/impression').length;
  expect(await opened.page.evaluate(() => AdSDK.renderAd('top', 'slot'))).toBe(true);
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(hitsBefore + 1));
  const token = opened.sentTo('/impression').at(-1)!.query.get('t')!;
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { readonly jti: string };
  let row: unknown;
  await eventually(async () => {
    row = await rowOf(jti);
    expect(row).toBeDefined();
  });
  const [bid] = received.slice(bidsBefore);
  return {
    stored: (await opened.page.evaluate(() => localStorage.getItem('adsdk_uid'))) !== null,
    shown: await opened.page.frameLocator('#slot iframe').locator('p').innerText(),
    bidder: { user: bid!.user.id !== undefined, ip: bid!.device.ip, query: new URL(bid!.site.page).search },
    row,
  };
};
const expected = ({ remember, measure, share }: Allowed): unknown => ({
  stored: remember,
  shown: remember ? 'capped' : 'open',
  bidder: { user: share, ip: share ? '127.0.0.1' : '127.0.0.0', query: share ? '?email=a@b.example' : '' },
  row: { user: remember && measure, signals: measure },
});

const open = (platform: string): Promise<PublisherPage> =>
  site.open(browser, {
    service,
    html: '<div id="slot"></div>',
    scriptAttributes: 'data-consent-wait="300"',
    init: `if (window === top) { history.replaceState(null, '', location.pathname + '?email=a@b.example'); ${platform} }`,
  });

test.each([
  { page: 'no platform', platform: '', allowed: EVERYTHING },
  { page: 'everything denied', platform: `${DIALOG} decide(${DENIED});`, allowed: NOTHING },
  { page: 'everything accepted', platform: `${DIALOG} decide(${ACCEPTED});`, allowed: EVERYTHING },
  { page: 'a GPP opt-out', platform: GPP_OPT_OUT, allowed: NOT_SHARED },
  { page: 'Global Privacy Control', platform: GPC, allowed: NOT_SHARED },
])('$page: storage, ad, bidder and event row are as docs/privacy.md says', async ({ platform, allowed }) => {
  expect(await nextAd(await open(platform))).toEqual(expected(allowed));
});

test('accepted late: the ad before the answer is without consent, the ad after it with consent', async () => {
  const opened = await open(DIALOG);
  expect(await nextAd(opened)).toEqual(expected(NOTHING));
  await opened.page.evaluate(`decide(${ACCEPTED})`);
  expect(await nextAd(opened)).toEqual(expected(EVERYTHING));
});
