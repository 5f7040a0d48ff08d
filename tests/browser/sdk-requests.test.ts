import type { AdSDK } from '../../sdk/src/contract.ts';
import { deadAddress } from './setup/start-ad-service.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

interface Asked {
  readonly imp: readonly { readonly id: string; readonly tagid: string; readonly ext?: object }[];
  readonly site: { readonly page: string };
}

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'first', format: 'html', content: '<p>Shown</p>' },
    { placement: 'second', format: 'native', content: '{"title":"Tea"}' },
    { placement: 'third', format: 'banner', content: '{"image":"/a.png","alt":"A banner"}' },
  ]);
});

const open = (html = '<div id="slot"></div>', init = ''): Promise<PublisherPage> => publisher.open({ html, init });
const render = ({ page }: PublisherPage, placement: string): Promise<boolean> =>
  page.evaluate((id) => AdSDK.renderAd(id, 'slot'), placement);

test('the page and the server have different origins, and a preflight precedes the request', async () => {
  const opened = await open();
  const preflights: string[] = [];
  const session = await opened.page.context().newCDPSession(opened.page);
  session.on(
    'Network.requestWillBeSent',
    ({ request }) => request.method === 'OPTIONS' && preflights.push(`${request.method} ${request.url}`),
  );
  await session.send('Network.enable');
  expect(await render(opened, 'first')).toBe(true);
  expect(preflights).toEqual([`OPTIONS ${publisher.service.baseUrl}/ad`]);
  expect(new URL(opened.page.url()).origin).not.toBe(publisher.service.baseUrl);
  expect(opened.sentTo('/ad')[0]!.headers).not.toHaveProperty('cookie');
});

test('without an ad, AdSDK:noAd gives the reason, the content is unchanged and nothing is tracked', async () => {
  const opened = await open('<div id="slot">House ad</div>');
  const detail = await opened.page.evaluate(
    () =>
      new Promise((resolve) => {
        document.getElementById('slot')!.addEventListener('AdSDK:noAd', (event) => resolve(event.detail));
        void AdSDK.renderAd('nowhere', 'slot');
      }),
  );
  expect(detail).toEqual({ placementId: 'nowhere', nbr: 2 });
  expect(await opened.page.locator('#slot').textContent()).toBe('House ad');
  expect(await opened.signals()).toEqual(['noAd nowhere 2']);
  expect(opened.sent.map((one) => one.path)).toEqual(['/ad']);
});

test('fetchAd resolves to the answer for its placement with absolute URLs and requests none of them', async () => {
  const opened = await open();
  const answers = await opened.page.evaluate(() => Promise.all([AdSDK.fetchAd('first'), AdSDK.fetchAd('nowhere')]));
  const bid = answers[0].seatbid[0]!.bid[0]!;
  for (const [url, path] of [
    [bid.impurl, '/impression'],
    [bid.clkurl, '/click'],
    [bid.evturl, '/event'],
  ] as const) {
    expect(url).toContain(`${publisher.service.baseUrl}${path}?t=`);
  }
  expect(answers[0]).not.toHaveProperty('nbr');
  expect(answers[1]).toMatchObject({ seatbid: [], nbr: 2 });
  expect(opened.sent.map((one) => one.path)).toEqual(['/ad']);
});

test('placements of one tick share a request with the address of the page; a later tick has its own', async () => {
  const opened = await open('<div id="a"></div><div id="b"></div><div id="slot"></div>');
  await opened.page.evaluate(async () => {
    await Promise.all([
      AdSDK.renderAd('first', 'a'),
      AdSDK.renderNativeAd('second', 'b', () => '<p>Native</p>'),
      AdSDK.fetchAd('nowhere'),
      AdSDK.renderAd('third', 'slot', undefined, { section: 'sport' }),
    ]);
    await AdSDK.fetchAd('first');
  });
  const bodies = opened.sentTo('/ad').map((one) => JSON.parse(one.body!) as Asked);
  expect(bodies.map((body) => body.imp.map((imp) => imp.tagid))).toEqual([['first', 'second', 'nowhere', 'third'], ['first']]);
  expect(new Set(bodies[0]!.imp.map((imp) => imp.id)).size).toBe(4);
  expect(bodies[0]!.imp.map((imp) => imp.ext)).toEqual([undefined, undefined, undefined, { kv: { section: 'sport' } }]);
  expect(bodies.map((body) => body.site.page)).toEqual([opened.page.url(), opened.page.url()]);
  expect(opened.sentTo('/ad')[0]!.headers['x-api-key']).toBe(publisher.service.apiKey);
  expect(await opened.page.locator('#a iframe').count()).toBe(1);
  expect(await opened.page.locator('#b p').textContent()).toBe('Native');
});

test('the setters and the window globals have the same effect', async () => {
  const opened = await open();
  const globals = await opened.page.evaluate(() => {
    AdSDK.setApiKey('from-setter');
    AdSDK.setPublisherId(77);
    return [window.AD_SERVER_API_KEY, window.AD_SERVER_PUBLISHER_ID];
  });
  expect(globals).toEqual(['from-setter', 77]);
  await opened.page.evaluate(async () => {
    window.AD_SERVER_API_KEY = 'from-global';
    window.AD_SERVER_PUBLISHER_ID = 78;
    await AdSDK.fetchAd('first').catch(() => {});
  });
  const [request] = opened.sentTo('/ad');
  expect(request!.headers['x-api-key']).toBe('from-global');
  expect(JSON.parse(request!.body!).ext.publisher_id).toBe(78);
});

test('the user id is random, stored in local storage, and sent', async () => {
  const opened = await open();
  await opened.page.evaluate(() => AdSDK.fetchAd('first'));
  const id = JSON.parse(opened.sentTo('/ad')[0]!.body!).user.id;
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await opened.page.evaluate(() => localStorage.getItem('adsdk_uid'))).toBe(id);
});

test('with storage denied the ad is shown, with one user id per page', async () => {
  const deny = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });`;
  const opened = await open('<div id="slot"></div>', deny);
  expect(await render(opened, 'first')).toBe(true);
  await opened.page.evaluate(() => AdSDK.fetchAd('first'));
  const ids = opened.sentTo('/ad').map((one) => JSON.parse(one.body!).user.id);
  expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(opened.faults).toEqual([]);
});

test('with the server down nothing is thrown: noAd and error on the container, and fetchAd rejects', async () => {
  const dead = await deadAddress();
  const opened = await open();
  const outcome = await opened.page.evaluate(async (baseUrl) => {
    const rendered = await AdSDK.renderAd('first', 'slot', baseUrl);
    const native = await AdSDK.renderNativeAd('second', 'slot', () => '', baseUrl);
    const fetched = await AdSDK.fetchAd('first', baseUrl).then(
      () => 'resolved',
      (error) => error instanceof Error && 'rejected',
    );
    const reported = await AdSDK.reportAd('token', 'other', baseUrl);
    const missing = await AdSDK.renderAd('first', 'no-such-element');
    return { rendered, native, fetched, reported, missing };
  }, dead);
  expect(outcome).toEqual({ rendered: false, native: false, fetched: 'rejected', reported: false, missing: false });
  expect((await opened.signals()).map((signal) => signal.split(' ').slice(0, 2).join(' '))).toEqual(
    ['error first', 'noAd first', 'error second', 'noAd second', 'error first', 'error ', 'error first'].map((signal) =>
      signal.trim() === 'error' ? expect.stringMatching(/^error/) : signal,
    ),
  );
  expect(opened.faults).toEqual([]);
});

test('a page whose origin the publisher does not list gets no ad, and its console says why; a listed page gets one', async () => {
  const { baseUrl, publisherId } = publisher.service;
  const list = async (origins: readonly string[]): Promise<void> => {
    const answer = await fetch(`${baseUrl}/api/publishers/${publisherId}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ origins }),
    });
    expect(answer.status).toBe(200);
  };
  const renderOn = async (opened: PublisherPage): Promise<{ shown: boolean; logged: readonly string[] }> => {
    const logged: string[] = [];
    opened.page.on('console', (message) => message.text().startsWith('AdSDK') && logged.push(message.text()));
    return { shown: await render(opened, 'first'), logged };
  };
  await list(['https://www.gazette.example']);
  const refused = await open();
  const { shown, logged } = await renderOn(refused);
  expect(shown).toBe(false);
  expect(logged).toEqual([expect.stringContaining('the origin of this page is not one of them')]);
  expect(await refused.signals()).toContainEqual(expect.stringMatching(/^error first .*403.*origin_not_allowed/));
  expect(refused.sent.map(({ path }) => path)).toEqual(['/ad']);
  await list([`${publisher.site.url}/`]);
  expect(await renderOn(await open())).toEqual({ shown: true, logged: [] });
  await list([]);
});
