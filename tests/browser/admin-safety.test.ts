import type { Browser, Frame } from 'playwright-core';
import type { Replica } from '../setup/start-replica.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, FLIGHT, openAdmin, startReplicas, type AdminPage, type Api } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let api: Api;
let admin: AdminPage;

beforeAll(async () => {
  [browser, [replica]] = (await Promise.all([startBrowser(), startReplicas(1)])) as unknown as [Browser, [Replica]];
  api = apiOf(replica);
});
beforeEach(async () => {
  admin = await openAdmin(browser, replica);
});
afterEach(() => admin.close());

/**
 * Each sets a variable on the window or opens a dialog if any part of it is interpreted as markup,
 * script or address.
 */
const PAYLOADS = [
  '<img src=x onerror="alert(1);top.struck=1">',
  '<script>alert(2);top.struck=2</script>',
  '"><svg onload="alert(3);top.struck=3">',
  "'-alert(4)-'${alert(4)}{{alert(4)}}",
  '</textarea></title></style><iframe srcdoc="<script>top.struck=5;alert(5)</script>">',
  'javascript:alert(6)//',
  '<a href="javascript:alert(7)" autofocus onfocus=alert(7) tabindex=1>x</a>',
  '<!--?lit$1$-->${top.struck=8}<b onclick=alert(8)>',
];

test('stored names, texts and addresses are shown as text on every screen', async () => {
  const hashes = [
    '#/overview',
    '#/publishers',
    '#/placements',
    '#/campaigns',
    '#/line_items',
    '#/creatives',
    '#/history',
    '#/complaints',
    '#/reports',
  ];
  for (const [i, payload] of PAYLOADS.entries()) {
    const publisher = await api('POST', '/publishers', { name: payload, domain: payload });
    const placement = `${i}${payload}`.slice(0, 128);
    await api('POST', '/placements', {
      id: placement,
      width: 300,
      height: 250,
      formats: ['html', 'banner', 'native'],
      publisher_id: publisher.id,
    });
    const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: payload, ...FLIGHT });
    const item = await api('POST', '/line_items', {
      campaign_id: campaign.id,
      name: payload,
      active: true,
      cpm: 1,
      ...FLIGHT,
      targeting: { dimensions: { content_language: [payload] }, key_values: { [payload]: [payload] } },
    });
    const creative = {
      placement_id: placement,
      line_item_id: item.id,
      advertiser_domain: payload,
      click_url: `https://x.invalid/${encodeURI(payload)}`,
    };
    const banner = await api('POST', '/creatives', {
      ...creative,
      format: 'banner',
      content: JSON.stringify({
        image: '/static/none.png',
        alt: payload,
        images: [{ url: `/static/${encodeURI(payload)}`, width: 600, height: 500 }],
      }),
    });
    const native = await api('POST', '/creatives', {
      ...creative,
      format: 'native',
      content: JSON.stringify({ title: payload, image: `https://x.invalid/${payload}`, click: payload, [payload]: payload }),
    });
    const one = i % 2 === 0 ? banner : native;
    hashes.push(
      `#/line_items/${item.id}`,
      ...[
        `#/publishers/${publisher.id}`,
        `#/campaigns/${campaign.id}`,
        `#/line_items/${item.id}/edit`,
        `#/creatives/${one.id}`,
        `#/placements/${encodeURIComponent(placement)}`,
      ],
    );
  }
  hashes.push(
    '#/test',
    `#/line_items?q=${encodeURIComponent(PAYLOADS[0]!)}`,
    `#/${PAYLOADS[0]}`,
    `#/creatives/new?content=${encodeURIComponent(PAYLOADS[1]!)}`,
  );

  const { page } = admin;
  await admin.go('#/overview');
  for (const hash of hashes) {
    await admin.turn(hash);
    const found = await page.evaluate(() => ({
      struck: (window as unknown as { struck?: unknown }).struck,
      strange: document.querySelectorAll(
        '#app img, #app script, #app [onerror], #app [onload], #app [onfocus], #app iframe[srcdoc], a[href^="javascript"]',
      ).length,
    }));
    expect({ hash, ...found }).toEqual({ hash, struck: undefined, strange: 0 });
  }
  // The console also reports what the preview's sandbox refused: the payload was stopped.
  const refused = /x\.invalid|Failed to load|The document is sandboxed|Blocked a frame with origin "null"/;
  expect(admin.troubles.filter((trouble) => !refused.test(trouble))).toEqual([]);
});

const previewFrame = async (): Promise<Frame> => {
  let found: Frame | undefined;
  await eventually(async () => {
    found = admin.page.frames().find((frame) => frame.url().endsWith('/preview.html'));
    expect(await found?.evaluate(() => document.getElementById('done')?.textContent)).toBe('done');
  });
  return found!;
};

test('a previewed creative runs its styles and scripts and reaches neither the page nor its API', async () => {
  const publisher = await api('POST', '/publishers', { name: 'Preview', domain: 'preview.example' });
  await api('POST', '/placements', { id: 'previewed', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Preview', ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Preview', active: true, cpm: 1, ...FLIGHT });
  const content = `<style>#styled { color: rgb(1, 2, 3) }</style><p id="styled" style="background-color: rgb(4, 5, 6)">x</p><p id="reached"></p>
    <script>
      const reached = [];
      const note = (name, attempt) => { try { attempt(); reached.push(name) } catch {} };
      note('document', () => parent.document.title);
      note('storage', () => localStorage.length);
      note('cookie', () => { document.cookie = 'a=1' });
      AdSDK_Creative_Event('like');
      alert(1);
      try { top.location = 'https://x.invalid/' } catch {}
      parent.postMessage({ preview: 'ready' }, '*');
      Promise.all([
        fetch('/api/publishers').then((answer) => reached.push('read ' + answer.status), () => {}),
        fetch('/api/publishers', { method: 'POST', mode: 'no-cors', body: '{"name":"Forged","domain":"x"}' }).catch(() => {}),
      ]).then(() => { document.getElementById('reached').textContent = reached.join(); document.body.insertAdjacentHTML('beforeend', '<i id="done">done</i>') });
    </script>`;
  const creative = await api('POST', '/creatives', { placement_id: 'previewed', line_item_id: item.id, format: 'html', content });
  await admin.go(`#/creatives/${creative.id}`);
  const frame = await previewFrame();
  expect(
    await frame.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.getElementById('styled')!);
      return { color, backgroundColor, reached: document.getElementById('reached')!.textContent, origin: self.origin, width: innerWidth };
    }),
  ).toEqual({ color: 'rgb(1, 2, 3)', backgroundColor: 'rgb(4, 5, 6)', reached: '', origin: 'null', width: 300 });
  expect(new URL(admin.page.url()).pathname).toBe('/static/admin.html');
  const names = ((await api('GET', '/publishers')) as unknown as { name: string }[]).map(({ name }) => name);
  expect(names).not.toContain('Forged');
  expect(admin.troubles.filter((trouble) => trouble.startsWith('dialog'))).toEqual([]);
});

test('a banner is previewed as 1× and 2× screens choose its picture', async () => {
  const publisher = await api('POST', '/publishers', { name: 'Banners', domain: 'banner.example' });
  await api('POST', '/placements', { id: 'banners', width: 300, height: 250, formats: ['banner'], publisher_id: publisher.id });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Banners', ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name: 'Banners', active: true, cpm: 1, ...FLIGHT });
  const picture = (colour: string, width: number, height: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour}"/></svg>`;
  await admin.page.route('**/pictures/*', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: route.request().url().includes('2x') ? picture('teal', 600, 500) : picture('navy', 300, 250),
    }),
  );
  const { page } = admin;
  await admin.go(`#/creatives/new?line_item_id=${item.id}&placement_id=banners`);
  await page.getByLabel('Image address').fill('/pictures/1x.svg');
  await page.getByLabel('Alternative text').fill('A banner');
  await page.getByRole('button', { name: 'Add a size' }).click();
  for (const [name, value] of [
    ['Address', '/pictures/2x.svg'],
    ['Width', '600'],
    ['Height', '500'],
  ] as const) {
    await page.getByLabel(`${name} of image 1`).fill(value);
    await page.getByLabel(`${name} of image 1`).blur();
  }
  await page.locator('ad-preview').nth(1).waitFor();
  await eventually(async () => {
    const chosen = await page.locator('ad-preview .picture').allInnerTexts();
    expect(chosen.map((address) => address.split('/').at(-1))).toEqual(['1x.svg', '2x.svg']);
  });
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: /^Creative \d+/ }).waitFor();
  const [stored] = (await api('GET', '/creatives?placement_id=banners')) as unknown as { content: string }[];
  expect(JSON.parse(stored!.content)).toEqual({
    image: '/pictures/1x.svg',
    alt: 'A banner',
    images: [{ url: '/pictures/2x.svg', width: 600, height: 500 }],
  });
});

test('every spelling of a path has its policy, and a disabled page is not served under any', async () => {
  const policyOf = async (path: string) => (await fetch(replica.url + path)).headers.get('content-security-policy') ?? '';
  for (const path of [
    ...['/static/admin.html', '/static/%61dmin.html', '/static//admin.html', '/static/./admin%2ehtml'],
    ...['/static/sign-in.html', '/static/sign%2din.html'],
  ]) {
    expect({ path, policy: await policyOf(path) }).toMatchObject({
      path,
      policy: expect.stringContaining("default-src 'none';script-src 'self'"),
    });
  }
  expect(await policyOf('/static/admin/preview.html')).toMatch(/^sandbox allow-scripts/);
  expect(await policyOf('/static/admin/%70review.html')).toMatch(/^sandbox allow-scripts/);

  const off = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_ENABLED: 'false' } });
  for (const path of [
    'admin.html',
    'admin.webmanifest',
    'admin-icon.svg',
    '%61dmin.html',
    'sign-in.html',
    'sign%2din.html',
    '/admin.html',
    'admin/admin.js',
    'admin/%61dmin.js',
    'admin/preview.html',
    'sdk/%2e%2e/admin.html',
  ])
    expect({ path, found: (await fetch(`${off.url}/static/${path}`)).ok }).toEqual({ path, found: false });
  await off.stop();
});
