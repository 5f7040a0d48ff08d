import type { Browser } from 'playwright-core';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherSite } from './setup/start-publisher-site.ts';
import { untilDrawn } from './setup/until-drawn.ts';

const KEY = 'key of the tags';
const IMAGE = '/static/demo/img/coffee-300x250.svg';
const PERSON = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36' };

let databaseUrl: string;
let replica: Replica;
let browser: Browser;
let site: PublisherSite;

const placement = (id: string, format: string) => ({ id, width: 300, height: 250, formats: [format] });
const creative = (placement_id: string, format: string, content: string, click_url?: string) => ({
  placement_id,
  format,
  content,
  ...(click_url && { click_url }),
});

beforeAll(async () => {
  [site, browser, databaseUrl] = await Promise.all([startPublisherSite(), startBrowser(), testDatabase()]);
  const banner = JSON.stringify({ image: IMAGE, alt: 'Coffee', images: [] });
  const link = '<a id="go" href="${CLICK_URL}">Go</a> <i>${GDPR}/${GDPR_CONSENT}/${US_PRIVACY}/${AUCTION_PRICE}</i>';
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'Tags',
        domain: 'publisher.example',
        api_key: KEY,
        placements: [
          placement('banner', 'banner'),
          placement('mail', 'banner'),
          placement('mail-two', 'banner'),
          placement('html', 'html'),
          placement('plain-link', 'html'),
          placement('native', 'native'),
        ],
        campaigns: [
          {
            line_items: [
              {
                creatives: [
                  creative('banner', 'banner', banner, site.landing),
                  creative('mail', 'banner', banner, `${site.landing}?one`),
                  creative('mail-two', 'banner', banner, `${site.landing}?two`),
                  creative('mail-two', 'banner', banner.replace('300x250', '600x500'), `${site.landing}?three`),
                  creative('html', 'html', link, site.landing),
                  creative('plain-link', 'html', `<a id="go" href="${site.landing}">Go</a>`),
                  creative('native', 'native', '{"title":"Tea"}'),
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
});

const tag = (kind: string, query: Readonly<Record<string, string>>): string =>
  `${replica.url}/tag/${kind}?${new URLSearchParams({ key: KEY, ...query }).toString()}`;

/** Hits of a placement that are stored: those that count, or with the filtered ones. */
const stored = (placementId: string, kind: string, gross = false): Promise<number> =>
  withClient(databaseUrl, async (client) => {
    const query = `select count(*)::int as n from events where placement_id = $1 and kind = $2 and (invalid_reason = '' or $3)`;
    return (await client.query<{ n: number }>(query, [placementId, kind, gross])).rows[0]!.n;
  });

const counted = (placementId: string, impressions: number, clicks: number) =>
  eventually(async () =>
    expect([await stored(placementId, 'impression'), await stored(placementId, 'click')]).toEqual([impressions, clicks]),
  );

const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  fetch(url, { method, redirect: 'manual', headers: { ...PERSON, ...headers } });

/** Opens a page of the publisher with this markup, and nothing of the SDK. */
const open = (html: string, headers: Readonly<Record<string, string>> = {}) =>
  site.open(browser, { service: { baseUrl: replica.url, apiKey: KEY, publisherId: 1 }, html, script: false, headers });

test.each([
  ['banner', 'img[alt=Coffee]'],
  ['html', '#go'],
  ['plain-link', '#go'],
])(
  'a frame shows a %s ad under a strict policy, counts its impression and its click, and leads to the advertiser',
  async (name, clicked) => {
    const { page, faults } = await open(`<iframe src="${tag('iframe', { placement: name })}" width="300" height="250"></iframe>`, {
      'Content-Security-Policy': `default-src 'none'; frame-src ${replica.url}`,
    });
    const frame = page.frameLocator('iframe');
    await frame.locator(clicked).waitFor();
    if (name === 'banner') await untilDrawn(frame.locator(clicked));
    await counted(name, 1, 0);
    // A click within the first moments is one that no person makes.
    await page.waitForTimeout(1_200);
    const landed = page.context().waitForEvent('page');
    await frame.locator(clicked).click();
    await (await landed).getByText('landed').waitFor();
    await counted(name, 1, 1);
    expect(faults).toEqual([]);
  },
);

test('the creative in a frame has an opaque origin, whatever the page allows', async () => {
  const answer = await get(tag('iframe', { placement: 'html' }));
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
    'cache-control': 'no-store, no-cache, must-revalidate, private',
    'referrer-policy': 'no-referrer',
  });
  const { page } = await open(`<iframe src="${tag('iframe', { placement: 'html' })}"></iframe>`);
  const frame = page.frames().find((one) => one.url().includes('/tag/'))!;
  expect(await frame.evaluate(() => self.origin)).toBe('null');
});

test('macros have the consent parameters of the tag, and macros that nothing filled are none', async () => {
  const html = await (
    await get(tag('iframe', { placement: 'html', gdpr: '0', gdpr_consent: '${GDPR_CONSENT}', us_privacy: '1YNN', n: '{{recipient}}' }))
  ).text();
  expect(html).toMatch(/<i>0\/\/1YNN\/\d/);
  const refused = await (await get(tag('iframe', { placement: 'html', gdpr: '1', 'kv.section': 'no such section', debug: '1' }))).text();
  const trace = JSON.parse(/id="trace">([^<]*)</.exec(refused)![1]!) as { consent: object; imps: object[] };
  expect(trace).toMatchObject({ consent: { remember: false }, imps: [{ impid: '1' }] });
});

test('an image and its link show one decision to one recipient, and count it once each', async () => {
  const [image, click] = ['image', 'click'].map((kind) => tag(kind, { placement: 'mail-two', n: 'r1' }));
  const { page } = await open(`<a href="${click}" target="_blank"><img alt="An ad" src="${image}"></a>`);
  await untilDrawn(page.getByAltText('An ad'));
  const first = await get(image!);
  for (let again = 0; again < 5; again++) expect((await get(image!)).headers.get('location')).toBe(first.headers.get('location'));
  await counted('mail-two', 1, 0);
  await page.waitForTimeout(1_200);
  const landed = page.context().waitForEvent('page');
  await page.getByAltText('An ad').click();
  const advertiser = await landed;
  await advertiser.waitForURL(/landing/);
  expect(advertiser.url().endsWith('?three')).toBe(first.headers.get('location')!.includes('600x500'));
  await counted('mail-two', 1, 1);
});

test('recipients are decided one by one; without an ad, a recipient or a decision nothing breaks', async () => {
  const image = (query: Readonly<Record<string, string>>) => get(tag('image', { placement: 'mail', ...query }));
  const shown = await image({ n: 'a' });
  expect([shown.status, shown.headers.get('location'), shown.headers.get('cache-control')]).toEqual([
    302,
    IMAGE,
    'no-store, no-cache, must-revalidate, private',
  ]);
  await image({ n: 'b' });
  await image({});
  await counted('mail', 3, 0);
  const clickOf = async (query: Readonly<Record<string, string>>) =>
    (await get(tag('click', { placement: 'mail', ...query }))).headers.get('location');
  expect(await clickOf({ n: 'a' })).toBe(`${site.landing}?one`);
  expect(await clickOf({ n: 'nobody-opened-it' })).toBe('https://publisher.example/');
  expect(await clickOf({})).toBe('https://publisher.example/');
  const pixel = await image({ placement: 'native', n: 'a' });
  expect([pixel.status, pixel.headers.get('content-type')]).toEqual([200, 'image/gif']);
  expect((await get(tag('image', { placement: 'mail', n: 'c' }), {}, 'HEAD')).status).toBe(200);
  expect(await stored('mail', 'impression')).toBe(3);
  // A click that is too early for a person is filtered; on a slow machine this one is not too early.
  await eventually(async () => expect(await stored('mail', 'click', true)).toBe(1));
  const traced = (await (await image({ n: 'd', debug: '1' })).json()) as { debug: { trace: { imps: object[] } } };
  expect(traced.debug.trace.imps).toMatchObject([{ winner: { price: 1 } }]);
  expect(await stored('mail', 'impression')).toBe(3);
});

test('a tag needs the key, or a publisher that lists its origins; then pages of others are refused', async () => {
  const api = (origins: readonly string[]) =>
    fetch(`${replica.url}/api/publishers/1`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ origins }),
    });
  const byId = `${replica.url}/tag/iframe?publisher=1&placement=html`;
  expect((await get(byId)).status).toBe(401);
  expect((await get(tag('image', { placement: 'mail', key: 'wrong' }))).status).toBe(401);
  expect((await get(tag('iframe', {}))).status).toBe(400);
  expect((await get(tag('iframe', { placement: 'html' }), {}, 'POST')).status).toBe(405);
  await api(['https://*.publisher.example', 'https://publisher.example']);
  const answer = await get(byId, { Referer: 'https://www.publisher.example/article' });
  expect(answer.headers.get('content-security-policy')).toMatch(
    /; frame-ancestors https:\/\/\*\.publisher\.example https:\/\/publisher\.example$/,
  );
  expect([answer.status, (await get(byId, { Referer: 'https://other.example/' })).status, (await get(byId)).status]).toEqual([
    200, 403, 200,
  ]);
  await api([]);
});
