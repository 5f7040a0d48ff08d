import type { Browser } from 'playwright-core';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite, type PublisherSite } from './setup/start-publisher-site.ts';

const IMAGE = '/static/demo/img/coffee-300x250.svg';
const PERSON = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36' };
const KEY = 'key of the zones';

let databaseUrl: string;
let replica: Replica;
let browser: Browser;
let site: PublisherSite;

beforeAll(async () => {
  [site, browser, databaseUrl] = await Promise.all([startPublisherSite(), startBrowser(), testDatabase()]);
  const zone = (revive_zone_id: number, size = { width: 300, height: 250 }) => ({
    ...{ id: `zone-${revive_zone_id}`, revive_zone_id, ...size, formats: ['html', 'banner'] },
  });
  const banner = { format: 'banner', content: JSON.stringify({ image: IMAGE, alt: 'Coffee' }), click_url: site.landing };
  const text = '<a id="go" href="${CLICK_URL}">Text ad</a><p style="height:60px"></p>';
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        ...{ name: 'Zones', domain: 'publisher.example', api_key: KEY, consent_when_silent: 'allow' },
        placements: [zone(1), zone(2, { width: 1, height: 1 }), zone(3), zone(4)],
        campaigns: [
          {
            line_items: [
              {
                creatives: [
                  { placement_id: 'zone-1', ...banner },
                  { placement_id: 'zone-2', content: text, click_url: site.landing },
                ],
              },
              { targeting: { key_values: { section: ['sport'] } }, creatives: [{ placement_id: 'zone-3', ...banner }] },
              { frequency_cap: 1, creatives: [{ placement_id: 'zone-4', content: '<b>once</b>' }] },
            ],
          },
        ],
      },
    ],
  });
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
});

const delivery = (script: string, query: Readonly<Record<string, string>> = {}): string =>
  `${replica.url}/www/delivery/${script}?${new URLSearchParams(query).toString()}`;
const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, { redirect: 'manual', headers: { ...PERSON, ...headers } });

/** Hits that count, of a placement. */
const counted = (placementId: string, impressions: number, clicks: number) =>
  eventually(() =>
    withClient(databaseUrl, async (client) => {
      const query = `select kind, count(*)::int as n from events where placement_id = $1 and invalid_reason = '' group by kind`;
      const { rows } = await client.query<{ kind: string; n: number }>(query, [placementId]);
      const of = (kind: string): number => rows.find((row) => row.kind === kind)?.n ?? 0;
      expect([of('impression'), of('click')]).toEqual([impressions, clicks]);
    }),
  );

const open = (html: string) => site.open(browser, { service: { baseUrl: replica.url, apiKey: KEY, publisherId: 1 }, html, script: false });

test('a page with asynchronous tags shows its ads in sandboxed frames, each counted once, and a click leads to the advertiser', async () => {
  const place = (zone: number): string => `<ins data-revive-zoneid="${zone}" data-revive-id="0123456789abcdef"></ins>`;
  const script = `<script async src="${replica.url}/www/delivery/asyncjs.php"></script>`;
  const { page, faults } = await open(place(1) + script + place(2) + script + place(99));
  const banner = page.frameLocator('ins[data-revive-zoneid="1"] iframe').getByAltText('Coffee');
  const text = page.frameLocator('ins[data-revive-zoneid="2"] iframe').locator('#go');
  await Promise.all([banner.waitFor(), text.waitFor()]);
  expect(await page.locator('ins iframe').evaluateAll((frames) => frames.map((frame) => frame.getAttribute('sandbox')))).toEqual(
    Array<string>(2).fill('allow-scripts allow-popups allow-popups-to-escape-sandbox'),
  );
  await eventually(async () =>
    expect(Number(await page.locator('ins[data-revive-zoneid="2"] iframe').getAttribute('height'))).toBeGreaterThan(60),
  );
  await counted('zone-1', 1, 0);
  await counted('zone-2', 1, 0);
  // A click within the first moments is one that no person makes.
  await page.waitForTimeout(1_200);
  for (const [ad, placement] of [
    [banner, 'zone-1'],
    [text, 'zone-2'],
  ] as const) {
    const landed = page.context().waitForEvent('page');
    await ad.click();
    await (await landed).getByText('landed').waitFor();
    await counted(placement, 1, 1);
  }
  expect(faults).toEqual([]);
});

test.each([
  ['afr.php', (url: string) => `<iframe src="${url}" width="300" height="250"></iframe>`],
  ['ajs.php', (url: string) => `<script src="${url}"></script>`],
])('%s shows the ad of a zone by a variable of its tag', async (script, htmlOf) => {
  const { page, faults } = await open(htmlOf(delivery(script, { zoneid: '3', section: 'sport', cb: '1' }).replaceAll('&', '&amp;')));
  await page.frameLocator('iframe').getByAltText('Coffee').waitFor();
  expect(faults).toEqual([]);
  expect(await (await get(delivery(script, { zoneid: '3', section: 'culture' }))).text()).not.toContain('Coffee');
});

test('asyncspc.php answers by place, to the page that asks, and caps what the visitor sees', async () => {
  const ask = (query: Readonly<Record<string, string>>) => get(delivery('asyncspc.php', query), { Origin: 'https://news.example' });
  const answer = await ask({ zones: '|4|99', prefix: 'revive-0-', uid: 'a-reader-of-news' });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    ...{ 'access-control-allow-origin': 'https://news.example', 'access-control-allow-credentials': 'true', 'may-remember': '1' },
  });
  expect(answer.headers.get('set-cookie')).toBe(null);
  const shown = (await answer.json()) as Readonly<Record<string, { readonly html: string }>>;
  expect(shown).toEqual({
    'revive-0-1': { html: expect.stringContaining('<b>once</b>'), width: 300, height: 250, iframeFriendly: true },
    'revive-0-2': { html: '', width: 0, height: 0, iframeFriendly: false },
  });
  const [beacon = ''] = /\/www\/delivery\/lg\.php\?t=[\w.-]+/.exec(shown['revive-0-1']!.html) ?? [];
  expect((await get(replica.url + beacon)).headers.get('content-type')).toBe('image/gif');
  await counted('zone-4', 1, 0);
  expect(await (await ask({ zones: '4', prefix: 'revive-0-', uid: 'a-reader-of-news' })).json()).toMatchObject({
    'revive-0-0': { html: '' },
  });
});

test('an image counts its impression, and no address of a query is followed', async () => {
  const image = await get(delivery('avw.php', { zoneid: '1', n: 'a1b2' }));
  expect([image.status, image.headers.get('location')]).toEqual([302, expect.stringContaining(IMAGE)]);
  await counted('zone-1', 2, 1);
  for (const script of ['ck.php', 'cl.php']) {
    const query = { zoneid: '1', n: 'a1b2', oadest: 'https://evil.example/', dest: 'https://evil.example/' };
    const clicked = await get(delivery(script, query));
    expect([clicked.status, clicked.headers.get('location')]).toEqual([302, 'https://publisher.example/']);
  }
});

test.each([
  ['a prefix that is a script', 'asyncspc.php', { zones: '1', prefix: 'alert(1)' }, 400],
  ['no zone', 'afr.php', {}, 400],
  ['a zone that is none', 'afr.php', { zoneid: '99' }, 400],
  ['a forged beacon', 'lg.php', { t: 'forged' }, 401],
  ['a click without token', 'ck.php', { oadest: 'https://evil.example/' }, 401],
])('%s is refused', async (_, script, query, status) => {
  const refused = await get(delivery(script, query));
  expect([refused.status, refused.headers.get('location')]).toEqual([status, null]);
});
