import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'article-top', format: 'html', content: '<p>An ad</p>', size: [728, 90] },
    { placement: 'article-teaser', format: 'native', content: '{"title":"Tea & <b>cake</b>"}' },
  ]);
});

/** The exports of sdk/examples/article-page.ts. */
interface Site {
  readonly showArticleAds: (
    publisher: object,
    article: object,
    log: object,
  ) => { readonly shown: Promise<readonly boolean[]>; readonly remove: () => void };
}

/** An example with the test's ad server in place of the one that it names. */
const example = (file: string): string =>
  readFileSync(`sdk/examples/${file}`, 'utf8')
    .replaceAll('https://ads.example', publisher.service.baseUrl)
    .replace('data-api-key="key"', `data-api-key="${publisher.service.apiKey}"`);

test('the plain page shows its ad', async () => {
  const html = example('plain.html');
  const opened = await publisher.open({
    head: /<style>[^]*<\/script>/.exec(html)![0],
    html: /<body>([^]*)<\/body>/.exec(html)![1]!,
    script: false,
  });
  await opened.page.locator('[data-adsdk-slot] iframe').waitFor();
  expect(opened.faults).toEqual([]);
});

test('the page in TypeScript shows its ads, logs them, and removes them', async () => {
  const { outputFiles } = await build({
    entryPoints: ['sdk/examples/article-page.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'site',
    alias: { '@ad-server/adsdk': `${process.cwd()}/public/sdk/adsdk.esm.js` },
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const opened = await publisher.open({ html: '<div id="banner"></div><div id="teaser"></div>', script: false });
  const { page } = opened;
  await page.addScriptTag({ content: outputFiles[0]!.text.replaceAll('https://ads.example', publisher.service.baseUrl) });
  const logged = await page.evaluate(
    async ({ apiKey, publisherId }) => {
      const { showArticleAds } = (window as unknown as { site: Site }).site;
      const log: unknown[] = [];
      const filled = (placement: string): unknown => log.push(placement);
      const ads = showArticleAds(
        { apiKey, publisherId },
        { section: 'news' },
        { filled, empty: (...reason: unknown[]) => log.push(reason) },
      );
      const shown = await ads.shown;
      const teaser = document.querySelector('#teaser strong')?.textContent;
      ads.remove();
      return { log: log.sort(), shown, teaser, left: document.querySelectorAll('#banner *, #teaser *').length };
    },
    { apiKey: publisher.service.apiKey, publisherId: publisher.service.publisherId },
  );
  expect(logged).toEqual({ log: ['article-teaser', 'article-top'], shown: [true, true], teaser: 'Tea & <b>cake</b>', left: 0 });
  expect(opened.faults).toEqual([]);
});

test('a React slot comes and goes 100 times, strict mode included, without a leak', async () => {
  const app = `import { createRoot } from 'react-dom/client'; import { StrictMode } from 'react'; import { AdSlot } from './ad-slot';
    const root = createRoot(document.querySelector('main'));
    window.show = (shown) => root.render(<StrictMode>{shown && <AdSlot placement="article-top" height={90} />}</StrictMode>);`;
  const { outputFiles } = await build({
    stdin: { contents: app, loader: 'tsx', resolveDir: 'sdk/examples' },
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: { '@ad-server/adsdk': `${process.cwd()}/public/sdk/adsdk.esm.js` },
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const opened = await publisher.open({ html: '<main></main>', script: false });
  const { page } = opened;
  const session = await page.context().newCDPSession(page);
  await page.addScriptTag({ content: outputFiles[0]!.text.replaceAll('https://ads.example', publisher.service.baseUrl) });
  const cycle = (times: number): Promise<void> =>
    page.evaluate(async (count) => {
      const { show } = window as unknown as { show(shown: boolean): void };
      const until = async (state: boolean): Promise<void> => {
        while (!!document.querySelector('main iframe') !== state) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      for (let i = 0; i < count; i++) {
        show(true);
        await until(true);
        show(false);
        await until(false);
      }
    }, times);
  const held = async (): Promise<{ readonly nodes: number; readonly jsEventListeners: number; readonly documents: number }> => {
    await session.send('HeapProfiler.collectGarbage');
    return session.send('Memory.getDOMCounters');
  };
  await cycle(5);
  await page.waitForTimeout(300);
  const before = await held();
  await cycle(100);
  await eventually(async () => {
    const after = await held();
    expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(20);
    expect(after.documents - before.documents).toBeLessThan(10);
    expect(after.nodes - before.nodes).toBeLessThan(200);
  });
  expect(opened.faults).toEqual([]);
});
