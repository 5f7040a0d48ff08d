import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

interface Asked {
  readonly imp: readonly { readonly tagid: string; readonly banner?: { readonly format: readonly object[] }; readonly ext?: object }[];
  readonly site: { readonly page: string };
  readonly ext: { readonly kv?: object };
}

let publisher: Publisher;

const ad = (text: string) => `<div style="height:100%">${text}</div>`;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'top', format: 'html', content: ad('wide'), size: [970, 250], creativeSize: [728, 90] },
    { placement: 'side', format: 'html', content: ad('side'), size: [300, 250] },
    { placement: 'card', format: 'native', content: '{"title":"Tea"}' },
  ]);
});

const open = (html: string, more: object = {}): Promise<PublisherPage> =>
  publisher.open({ head: '<style>body{margin:0}</style>', html, ...more });
const bodies = (opened: PublisherPage): Asked[] => opened.sentTo('/ad').map((one) => JSON.parse(one.body!) as Asked);

const TOP = '<div id="slot" data-adsdk-slot="top" data-sizes="(min-width: 728px) 970x250 728x90, 320x50"></div>';

test('declared slots of a page share one request with their sizes, key-values and the address of the page', async () => {
  const opened = await open(
    `${TOP}<div data-adsdk-slot="side" data-kv-section="sport" data-kv-tags="a, b"></div><div data-adsdk-slot="card" data-template="card"></div>`,
    {
      head: '<script>window.adsdk=[(sdk) => { sdk.templates.card = (assets) => `<h3>${assets.title}</h3>`; sdk.setPageContext({ keyValues: { lang: "en" } }) }]</script>',
    },
  );
  await opened.page.locator('h3').waitFor();
  expect(bodies(opened)).toHaveLength(1);
  expect(bodies(opened)[0]).toMatchObject({
    site: { page: opened.page.url() },
    imp: [
      {
        tagid: 'top',
        banner: {
          format: [
            { w: 970, h: 250 },
            { w: 728, h: 90 },
          ],
        },
        ext: { kv: { lang: 'en' } },
      },
      { tagid: 'side', ext: { kv: { lang: 'en', section: 'sport', tags: ['a', 'b'] } } },
      { tagid: 'card' },
    ],
  });
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(3));
});

test('the sizes follow the viewport, and the server picks a creative that fits one of them', async () => {
  const wide = await open(TOP, { viewport: { width: 1280, height: 800 } });
  const frame = wide.page.locator('#slot iframe');
  expect(await frame.boundingBox()).toMatchObject({ width: 728, height: 90 });
  const narrow = await open(TOP, { viewport: { width: 390, height: 800 } });
  await eventually(async () => expect(await narrow.page.locator('#slot').getAttribute('data-adsdk-state')).toBe('empty'));
  expect(bodies(narrow)[0]!.imp[0]!.banner!.format).toEqual([{ w: 320, h: 50 }]);
  expect(await narrow.signals()).toEqual(['noAd top 501']);
});

test.each([390, 768, 1280])(
  'at %i pixels the layout shift is 0.000, also when the script comes late and when there is no ad',
  async (width) => {
    const css = '#slot{min-height:50px} @media (min-width:728px){#slot{min-height:250px}} #none,#side{min-height:250px}';
    const opened = await open(
      `<h1>News</h1>${TOP}<p>Text</p><div id="side" data-adsdk-slot="side"></div><p>Text</p><div id="none" data-adsdk-slot="nowhere" data-sizes="300x250"></div><p>Text</p>`,
      {
        head: `<style>body{margin:0}${css}</style>`,
        viewport: { width, height: 900 },
        init: `window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value }).observe({ type: 'layout-shift', buffered: true });`,
        prepare: (page: PublisherPage['page']) =>
          page.route('**/adsdk.min.js', async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 700));
            await route.continue();
          }),
      },
    );
    await opened.page.locator('#side iframe').waitFor();
    await opened.page.waitForTimeout(400);
    expect(await opened.page.evaluate(() => (window as unknown as { shift: number }).shift)).toBe(0);
    expect(await opened.page.locator('#none').evaluate((slot: HTMLElement) => slot.offsetHeight)).toBe(250);
  },
);

test('without an ad a slot with data-collapse collapses, and another stays', async () => {
  const opened = await open(
    '<div id="a" data-adsdk-slot="nowhere" data-sizes="300x250" data-collapse></div><div id="b" data-adsdk-slot="nowhere" data-sizes="300x250"></div>',
  );
  await eventually(async () => expect(await opened.signals()).toHaveLength(2));
  expect(await opened.page.evaluate(() => [a, b].map((slot) => [slot.offsetHeight, slot.dataset['adsdkState']]))).toEqual([
    [0, 'empty'],
    [250, 'empty'],
  ]);
});

declare const a: HTMLElement;
declare const b: HTMLElement;

test('renderAd and renderNativeAd take an element, and a missing one is named in the console once', async () => {
  const messages: string[] = [];
  const opened = await open('<div></div><div></div>', {
    prepare: (page: PublisherPage['page']) => Promise.resolve(page.on('console', (message) => messages.push(message.text()))),
  });
  const shown = await opened.page.evaluate(async () => {
    const [first, second] = document.querySelectorAll('div') as unknown as HTMLElement[];
    const results = await Promise.all([AdSDK.renderAd('side', first!), AdSDK.renderNativeAd('card', second!, () => '<b>Native</b>')]);
    return [...results, await AdSDK.renderAd('side', 'nope'), await AdSDK.renderAd('side', 'nope')];
  });
  expect(shown).toEqual([true, true, false, false]);
  expect(messages.filter((text) => text.includes('nope'))).toEqual(['AdSDK: "side": no element with id "nope"; is the script before it?']);
});

test('slots that come, change their placement, leave and return are filled, replaced and released', async () => {
  const opened = await open('<main></main>');
  const { page } = opened;
  await page.evaluate(() => {
    document.querySelector('main')!.innerHTML = '<section><div id="slot" data-adsdk-slot="side"></div></section>';
  });
  await page.locator('#slot iframe').waitFor();
  await page.evaluate(() => document.querySelector('#slot')!.setAttribute('data-adsdk-slot', 'top'));
  await eventually(() => expect(bodies(opened).at(-1)!.imp[0]!.tagid).toBe('top'));
  await eventually(async () => expect(await page.locator('#slot').getAttribute('data-adsdk-state')).toBe('filled'));
  await page.evaluate(() => {
    const main = document.querySelector('main')!;
    const section = main.firstElementChild!;
    section.remove();
    setTimeout(() => main.append(section), 50);
  });
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(3));
  await eventually(async () => expect(await page.locator('#slot iframe').count()).toBe(1));
  expect(opened.faults).toEqual([]);
});

/** Resolves when the page has been told what is in view: a new observer hears of it with or after those that there are. */
const observed = (page: PublisherPage['page']) =>
  page.evaluate(
    () =>
      new Promise<void>((told) =>
        new IntersectionObserver((_entries, self) => {
          self.disconnect();
          told();
        }).observe(document.querySelector('#slot')!),
      ),
  );

test('a slot is refreshed after its time in view only, while the tab is visible', async () => {
  const opened = await open(
    '<div id="slot" data-adsdk-slot="side" data-sizes="300x250" data-refresh="10s"></div><div style="height:3000px"></div>',
    {
      watched: true,
      // The clock moves only when it is run: a busy machine would add its time to that in view.
      prepare: async ({ clock }: PublisherPage['page']) => {
        const now = Date.now();
        // It runs until it is paused.
        await clock.install({ time: now - 3_600_000 });
        await clock.pauseAt(now);
      },
    },
  );
  const { page } = opened;
  await eventually(async () => {
    await page.clock.runFor(5);
    expect(opened.sentTo('/impression')).toHaveLength(1);
  });
  await observed(page);
  await page.clock.runFor(4500);
  await page.evaluate(() => scrollTo(0, 3000));
  await observed(page);
  await page.clock.runFor(60_000);
  expect(opened.sentTo('/ad')).toHaveLength(1);
  await page.evaluate(() => {
    scrollTo(0, 0);
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await observed(page);
  await page.clock.runFor(60_000);
  expect(opened.sentTo('/ad')).toHaveLength(1);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.clock.runFor(2000);
  expect(opened.sentTo('/ad')).toHaveLength(1);
  await page.clock.runFor(4000);
  await eventually(() => expect(opened.sentTo('/ad')).toHaveLength(2));
});
