import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'top', format: 'html', content: '<p>Top</p>', size: [728, 90] },
    { placement: 'side', format: 'html', content: '<p>Side</p>' },
  ]);
});

const SLOT = '<div id="slot" data-adsdk-slot="top" style="min-height:90px"></div>';
const QUEUED = `<script>
  window.AdSDK = window.AdSDK || { cmd: [] };
  window.adsdk = window.adsdk || [];
  window.order = [];
  AdSDK.cmd.push(() => { throw new Error('a fault of the page') }, (sdk) => order.push('first ' + (sdk === AdSDK)));
  adsdk.push(() => order.push('second'), () => AdSDK.renderAd('side', 'side'));
</script>`;

const scriptOf = (name: string, attributes = 'async'): string =>
  `<script ${attributes} src="${publisher.service.baseUrl}/static/sdk/${name}.min.js"></script>`;

const open = (head: string, html = `${SLOT}<div id="side"></div>`, more: object = {}): Promise<PublisherPage> =>
  publisher.open({ head: head, html, script: false, ...more });

const orderOf = ({ page }: PublisherPage): Promise<unknown> => page.evaluate(() => (window as unknown as { order: string[] }).order);

/** What the page has loaded: the names of its scripts, without those that are still on their way. */
const scriptsOf = ({ page }: PublisherPage): Promise<readonly string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.includes('/static/sdk/')),
  );

describe.each(['adsdk', 'adsdk-loader'])('one async script element of %s', (name) => {
  test('runs the commands that waited, in order, despite one that throws, and fills the slots', async () => {
    const opened = await open(QUEUED + scriptOf(name));
    await opened.page.locator('#slot iframe').waitFor();
    await opened.page.locator('#side iframe').waitFor();
    expect(await orderOf(opened)).toEqual(['first true', 'second']);
    expect(opened.faults).toEqual([]);
    expect(opened.sentTo('/ad')).toHaveLength(1);
    await opened.page.evaluate(() =>
      (window as unknown as { AdSDK: { cmd: unknown[] } }).AdSDK.cmd.push(() => document.body.append('later')),
    );
    expect(await opened.page.locator('body').innerText()).toContain('later');
  });

  test('twice on the page it works once', async () => {
    const opened = await open(QUEUED + scriptOf(name) + scriptOf(name) + scriptOf('adsdk'));
    await opened.page.locator('#slot iframe').waitFor();
    await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(2));
    await opened.page.waitForTimeout(300);
    expect(await orderOf(opened)).toEqual(['first true', 'second']);
    expect(opened.sentTo('/ad').flatMap((one) => JSON.parse(one.body!).imp)).toHaveLength(2);
    expect(opened.faults).toEqual([]);
  });

  test('delayed by five seconds, it delays DOMContentLoaded by nothing', async () => {
    let release = (): void => {};
    const delay = new Promise<void>((resolve) => (release = resolve));
    // Opening ends with DOMContentLoaded: before the script, which is released only afterwards, so no clock is needed.
    const opened = await open(QUEUED + scriptOf(name), SLOT, {
      prepare: (page: PublisherPage['page']) =>
        page.route('**/static/sdk/**', async (route) => {
          await delay;
          await route.continue();
        }),
      until: 'domcontentloaded',
    });
    expect(await scriptsOf(opened)).toEqual([]);
    await opened.page.waitForTimeout(5000);
    expect(await opened.page.evaluate(() => document.readyState)).toBe('interactive');
    expect(opened.sentTo('/ad')).toHaveLength(0);
    release();
    await opened.page.locator('#slot iframe').waitFor();
    expect(opened.faults).toEqual([]);
  });

  test('blocked, it leaves the page as it is', async () => {
    const opened = await open(QUEUED + scriptOf(name), SLOT, {
      prepare: (page: PublisherPage['page']) => page.route('**/static/sdk/**', (route) => route.abort()),
    });
    expect(opened.faults).toEqual([]);
    expect(await opened.page.locator('#slot').evaluate((slot: HTMLElement) => [slot.offsetHeight, slot.childNodes.length])).toEqual([
      90, 0,
    ]);
  });
});

test('the loader loads the full script when a lazy slot comes near, or a command is pushed', async () => {
  const far = '<div style="height:4000px"></div><div id="slot" data-adsdk-slot="top" data-lazy style="min-height:90px"></div>';
  const loads = async (opened: PublisherPage): Promise<boolean> => (await scriptsOf(opened)).some((name) => name.endsWith('/adsdk.min.js'));
  const opened = await open(scriptOf('adsdk-loader'), far);
  await opened.page.waitForTimeout(300);
  expect(await loads(opened)).toBe(false);
  await opened.page.evaluate(() => scrollTo(0, 3000));
  await opened.page.locator('#slot iframe').waitFor();

  const pushed = await open(scriptOf('adsdk-loader'), far);
  await pushed.page.evaluate(() => window.AdSDK.cmd.push(() => document.body.append('ran')));
  await eventually(async () => expect(await pushed.page.locator('body').innerText()).toContain('ran'));
});

test('the versioned loader loads the versioned script with its hash, and a slot that comes later is filled', async () => {
  const hashes = (await (await fetch(`${publisher.service.baseUrl}/static/sdk/integrity.json`)).json()) as Record<string, string>;
  const name = Object.keys(hashes).find((file) => /^adsdk-loader-.*\.min\.js$/.test(file))!;
  const opened = await open(
    `<script async src="${publisher.service.baseUrl}/static/sdk/${name}" integrity="${hashes[name]}" crossorigin="anonymous"></script>`,
    '<main></main>',
  );
  await opened.page.evaluate((slot) => document.querySelector('main')!.insertAdjacentHTML('beforeend', slot), SLOT);
  await opened.page.locator('#slot iframe').waitFor();
  const full = opened.page.locator('script[src*="/adsdk-1"]');
  expect(await full.getAttribute('integrity')).toBe(hashes[name.replace('-loader', '')]);
});

test('key, publisher and server can be attributes of the script', async () => {
  const { apiKey, publisherId, baseUrl } = publisher.service;
  const opened = await publisher.open({
    head: `<script async src="${baseUrl}/static/sdk/adsdk-loader.min.js" data-api-key="${apiKey}" data-publisher-id="${publisherId}"></script>`,
    html: SLOT,
    script: false,
    init: 'delete window.AD_SERVER_API_KEY; delete window.AD_SERVER_PUBLISHER_ID;',
  });
  await opened.page.locator('#slot iframe').waitFor();
  expect(opened.sentTo('/ad')[0]!.headers['x-api-key']).toBe(apiKey);
});

test('under Trusted Types and a policy with nonces, the loader works without violations', async () => {
  const refused: string[] = [];
  const opened = await publisher.open({
    head: `<script nonce="abc" async src="${publisher.service.baseUrl}/static/sdk/adsdk-loader.min.js"></script>`,
    html: '<div id="slot" data-adsdk-slot="top"></div>',
    script: false,
    headers: {
      'Content-Security-Policy': `default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${publisher.service.baseUrl}; style-src 'none'; require-trusted-types-for 'script'; trusted-types adsdk adsdk-loader`,
    },
    prepare: async (page) =>
      page.on('console', (message) => /Content Security Policy|Trusted/i.test(message.text()) && refused.push(message.text())),
  });
  await opened.page.locator('#slot iframe').waitFor();
  expect([...refused, ...opened.faults]).toEqual([]);
});
