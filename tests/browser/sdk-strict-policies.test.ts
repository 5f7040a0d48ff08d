import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { sendReport } from './setup/send-report.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'policy-html', format: 'html', content: '<a id="go" href="http://advertiser.invalid/">Go</a>' },
    { placement: 'policy-native', format: 'native', content: '{"title":"An ad"}' },
  ]);
});

const exercise = async (policy: string, scriptAttributes = ''): Promise<PublisherPage & { readonly refused: readonly string[] }> => {
  const opened = await publisher.open({
    html: '<div id="a"></div><div id="b"></div>',
    headers: { 'Content-Security-Policy': policy },
    scriptAttributes,
  });
  const refused: string[] = [];
  opened.page.on('console', (message) => /Content Security Policy|TrustedHTML/i.test(message.text()) && refused.push(message.text()));
  await opened.page.evaluate(() =>
    Promise.all([
      AdSDK.renderAd('policy-html', 'a'),
      AdSDK.renderNativeAd('policy-native', 'b', (assets) => `<p data-ad-event="like">${assets['title']}</p>`),
    ]),
  );
  await opened.page.locator('#b p').click();
  await opened.page.frameLocator('#a iframe').locator('#go').click();
  await opened.page.locator('#a [data-adsdk-report]').click();
  await sendReport(opened.page, 'Something else');
  return { ...opened, refused };
};

test('under a policy with nonces, Trusted Types and no inline styles, everything works without violations', async () => {
  const opened = await exercise(
    `default-src 'none'; script-src 'nonce-abc123' 'strict-dynamic'; connect-src ${publisher.service.baseUrl}; style-src 'none'; base-uri 'self'; ` +
      `require-trusted-types-for 'script'; trusted-types adsdk`,
    'nonce="abc123"',
  );
  expect(opened.refused).toEqual([]);
  expect(await opened.signals()).toEqual([]);
  await eventually(() =>
    expect(opened.sent.map((one) => one.path).sort()).toEqual(['/ad', '/click', '/event', '/impression', '/impression', '/report']),
  );
  const box = await opened.page
    .locator('[data-adsdk-report]')
    .first()
    .evaluate((button) => getComputedStyle(button).position);
  expect(box).toBe('absolute');
});

test('under a policy with hosts, the published hash of the frame script is enough', async () => {
  const policy = await (await fetch(`${publisher.service.baseUrl}/static/sdk/csp.json`)).json();
  const opened = await exercise(
    `default-src 'none'; script-src ${publisher.service.baseUrl} ${(policy as Record<string, string[]>)['script-src']!.join(' ')}; connect-src ${publisher.service.baseUrl}; style-src 'none'`,
  );
  expect(opened.refused).toEqual([]);
  await eventually(() => expect(opened.sentTo('/click')).toHaveLength(1));
});

test('any origin may load the SDK; the versioned copy is cached for a year, the others for an hour', async () => {
  const names = await (await fetch(`${publisher.service.baseUrl}/static/sdk/integrity.json`)).json();
  for (const name of [...Object.keys(names as object), 'integrity.json', 'csp.json']) {
    const { headers } = await fetch(`${publisher.service.baseUrl}/static/sdk/${name}`);
    expect([headers.get('access-control-allow-origin'), headers.get('cross-origin-resource-policy')]).toEqual(['*', 'cross-origin']);
    const forGood = /-\d+\.\d+\.\d+(\.min)?\.js$/.test(name);
    expect(headers.get('cache-control')).toBe(
      forGood ? 'public, max-age=31536000, immutable' : 'public, max-age=3600, stale-while-revalidate=86400',
    );
  }
  const types = await fetch(`${publisher.service.baseUrl}/static/sdk/adsdk.d.ts`);
  expect([types.status, types.headers.get('content-type')]).toEqual([200, 'application/typescript; charset=utf-8']);
});

test('the versioned copy loads with its published integrity hash', async () => {
  const hashes = (await (await fetch(`${publisher.service.baseUrl}/static/sdk/integrity.json`)).json()) as Record<string, string>;
  const [file, hash] = Object.entries(hashes).find(([name]) => /^adsdk-\d+\.\d+\.\d+\.min\.js$/.test(name))!;
  const opened = await publisher.open({ html: '' });
  const version = await opened.page.evaluate(
    ([src, integrity]) =>
      new Promise<string | undefined>((resolve, reject) => {
        delete (window as { AdSDK?: AdSDK }).AdSDK;
        const script = Object.assign(document.createElement('script'), { src, integrity, crossOrigin: 'anonymous', onerror: reject });
        script.onload = () => resolve(window.AdSDK?.version);
        document.body.append(script);
      }),
    [`${publisher.service.baseUrl}/static/sdk/${file}`, hash] as const,
  );
  expect(file).toBe(`adsdk-${version}.min.js`);
});

test('the ES module uses the origin that served it', async () => {
  const opened = await publisher.open({ html: '<div id="slot"></div>' });
  // As text, because the compiler of the tests would turn the import into a require.
  const shown = await opened.page.evaluate(`import('${publisher.service.baseUrl}/static/sdk/adsdk.esm.js').then(({ AdSDK }) => {
    return AdSDK.renderAd('policy-html', 'slot');
  })`);
  expect(shown).toBe(true);
});
