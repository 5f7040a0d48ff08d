import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { auction, buildPrebid } from '../browser/setup/prebid-page.ts';
import { startAdService, type AdService } from '../browser/setup/start-ad-service.ts';
import { startBrowser } from '../browser/setup/start-browser.ts';
import { startPublisherSite, type PublisherPage, type PublisherSite } from '../browser/setup/start-publisher-site.ts';
import { codeBlocksOf, DOCUMENTS, ROOT } from './documents.ts';

const BANNER = '{"image":"/static/demo/img/coffee-300x250.svg","alt":"Coffee"}';
const LANGUAGES = ['html', 'css', 'js'];
/** The documents with code of pages. Each has a test below; docs/video.md has its in tests/browser/players.test.ts. */
const TESTED = ['sdk/README.md', 'docs/prebid.md', 'docs/sdk.md', 'docs/tags.md', 'docs/video.md'];

let site: PublisherSite;
let browser: Browser;
let service: AdService;

beforeAll(async () => {
  [site, browser] = await Promise.all([startPublisherSite(), startBrowser()]);
  service = await startAdService([
    { placement: 'article-top', format: 'html', content: '<p>An ad</p>', size: [728, 90] },
    { placement: 'newsletter', format: 'banner', content: BANNER, size: [600, 200], clickUrl: site.landing },
    { placement: 'top', format: 'banner', content: BANNER, size: [728, 90] },
  ]);
  const answer = await fetch(`${service.baseUrl}/api/publishers/${service.publisherId}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ origins: [site.url] }),
  });
  expect(answer.status).toBe(200);
});

const INTEGRITY = JSON.parse(readFileSync(path.join(ROOT, 'public/sdk/integrity.json'), 'utf8')) as Readonly<Record<string, string>>;

/** The blocks of a document in one language, with the names that a reader replaces replaced. */
const codeOf = (document: string, language: string): readonly string[] =>
  codeBlocksOf(document)
    .filter((block) => block.language === language)
    .map(({ text }) =>
      text
        .replace(/https:\/\/ads\.example(\.com)?(?=\/)/g, service.baseUrl)
        .replaceAll('data-api-key="…"', `data-api-key="${service.apiKey}"`)
        .replaceAll("the publisher's key", service.apiKey)
        .replaceAll('{{recipient}}', 'a-hash')
        .replace(
          /([\w.-]+\.js)"([^>]*)integrity="sha384-…"/g,
          (_, file: string, between: string) => `${file}"${between}integrity="${INTEGRITY[file]}"`,
        ),
    );

const open = (html: string, head = ''): Promise<PublisherPage> =>
  site.open(browser, { service, html, head, script: false, viewport: { width: 1280, height: 900 } });
const shown = (opened: PublisherPage): Promise<void> =>
  opened.page.locator('[data-adsdk-slot="article-top"][data-adsdk-state="filled"]').waitFor();
const SLOT = '<div data-adsdk-slot="article-top"></div>';

test('every document with code of pages has a test here', () => {
  const documents = DOCUMENTS.filter((name) => codeBlocksOf(name).some(({ language }) => LANGUAGES.includes(language)));
  expect(documents).toEqual(TESTED);
});

test('the page of docs/sdk.md shows its ad and sends the key-values of its command', async () => {
  const [slot = '', commands = '', , pinned = ''] = codeOf('docs/sdk.md', 'html');
  const opened = await open(slot + commands, `<style>${codeOf('docs/sdk.md', 'css').join('')}</style>`);
  await shown(opened);
  expect(JSON.parse(opened.sentTo('/ad')[0]!.body!)).toMatchObject({ ext: { kv: { section: 'sport' } } });
  expect(await opened.page.locator('[data-adsdk-slot]').evaluate((element) => getComputedStyle(element).minHeight)).toBe('90px');
  const scripts = pinned.match(/<script[^]*?<\/script>/g) ?? [];
  expect(scripts).toHaveLength(2);
  for (const script of scripts) {
    const versioned = await open(SLOT + script.replace('<script', `<script data-api-key="${service.apiKey}" data-publisher-id="1"`));
    await shown(versioned);
    expect(versioned.faults).toEqual([]);
  }
  expect(opened.faults).toEqual([]);
});

test('the page of sdk/README.md shows its ad, and so does its pinned script', async () => {
  const [slot = '', pinned = ''] = codeOf('sdk/README.md', 'html');
  await shown(await open(slot));
  await shown(await open(SLOT + pinned));
});

test('the tags of docs/tags.md show their ads, and the image leads to the advertiser', async () => {
  const opened = await open(codeOf('docs/tags.md', 'html').join(''));
  await opened.page.frameLocator('iframe').getByText('An ad').waitFor();
  await eventually(async () =>
    expect(await opened.page.locator('a img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0),
  );
  const [landing] = await Promise.all([opened.page.waitForURL(site.landing), opened.page.locator('a').click()]);
  expect(landing).toBeUndefined();
});

test('both ways of docs/prebid.md bring a bid', async () => {
  const [config = '', bids = ''] = codeOf('docs/prebid.md', 'js');
  const [adapter = ''] = codeOf('docs/prebid.md', 'html');
  const prebid = await buildPrebid();
  const withServer = await open('');
  await withServer.page.addScriptTag({ content: prebid });
  // A busy machine may need longer than the page of a publisher would wait.
  await withServer.page.addScriptTag({ content: config.replace('timeout: 500', 'timeout: 5000') });
  const answers = await auction(withServer.page, {}, await withServer.page.evaluate<readonly object[]>('pbjs.adUnits'));
  expect(answers['div-top']).toMatchObject([{ bidder: 'direct', cpm: 1, width: 728, height: 90 }]);

  const withAdapter = await open(adapter);
  await withAdapter.page.addScriptTag({ content: prebid });
  const unit = `({ code: 'div-top', mediaTypes: { banner: { sizes: [[728, 90]] } }, ${bids} })`;
  const own = await auction(withAdapter.page, {}, [await withAdapter.page.evaluate<object>(unit)]);
  expect(own['div-top']).toMatchObject([{ bidder: 'adserver', width: 728, height: 90 }]);
});
