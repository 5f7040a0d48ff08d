import type { AdSDK } from '../../sdk/src/contract.ts';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

declare const AdSDK: AdSDK;

/** Counts the resources that the SDK holds: listeners by target and type, and active observers. */
const COUNT = `{
  window.held = { listeners: 0, observers: 0 };
  const live = new Map();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const mine = live.get(this) ?? live.set(this, []).get(this);
    if (!mine.some((one) => one[0] === type && one[1] === listener)) { mine.push([type, listener]); held.listeners++; }
    return addEventListener.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    const mine = live.get(this) ?? [];
    const at = mine.findIndex((one) => one[0] === type && one[1] === listener);
    if (at >= 0) { mine.splice(at, 1); held.listeners--; }
    return removeEventListener.call(this, type, listener, options);
  };
  const { observe, disconnect } = IntersectionObserver.prototype;
  const observing = new Set();
  IntersectionObserver.prototype.observe = function (target) { observing.add(this); held.observers = observing.size; return observe.call(this, target); };
  IntersectionObserver.prototype.disconnect = function () { observing.delete(this); held.observers = observing.size; return disconnect.call(this); };
}`;

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    { placement: 'seen', format: 'html', content: '<p>An ad</p>', size: [300, 250] },
    { placement: 'seen-large', format: 'html', content: '<p>A large ad</p>', size: [970, 250] },
    { placement: 'seen-native', format: 'native', content: '{"title":"An ad"}' },
  ]);
});

const open = (html: string, init = ''): Promise<PublisherPage> => publisher.open({ html, init, watched: true });

/** A slot with `visible` pixels above the fold of the viewport, which is 720 pixels high. */
const partly = (visible: number): string =>
  `<style>body{margin:0}</style><div style="height:${720 - visible}px"></div><div id="slot"></div><div style="height:2000px"></div>`;
const viewables = (opened: PublisherPage): number => opened.sentTo('/event').filter((hit) => hit.query.get('type') === 'viewable').length;

test('an ad with half of its pixels in view for a second is viewable, once; with 40 % it is not', async () => {
  const [opened, less] = await Promise.all([open(partly(130)), open(partly(100))]);
  const render = async (): Promise<number> => {
    const started = performance.now();
    const viewable = new Promise((resolve) => document.addEventListener('AdSDK:viewable', resolve));
    await AdSDK.renderAd('seen', 'slot');
    await viewable;
    return performance.now() - started;
  };
  await less.page.evaluate(() => AdSDK.renderAd('seen', 'slot'));
  expect(await opened.page.evaluate(render)).toBeGreaterThanOrEqual(1000);
  await eventually(() => expect(viewables(opened)).toBe(1));
  await opened.page.evaluate(() => scrollTo(0, 2000));
  await opened.page.evaluate(() => scrollTo(0, 0));
  await opened.page.waitForTimeout(1300);
  expect(viewables(opened)).toBe(1);
  expect(await opened.signals()).toEqual(['viewable seen']);
  expect(viewables(less)).toBe(0);
});

test('the second must be continuous and the page visible', async () => {
  const opened = await open(partly(250));
  // Runs in the page, whose timers stay in order with the SDK's on a busy machine.
  await opened.page.evaluate(async () => {
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await AdSDK.renderAd('seen', 'slot');
    for (let round = 0; round < 4; round++) {
      await sleep(400);
      scrollTo(0, 2000);
      await sleep(200);
      scrollTo(0, 0);
    }
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    await sleep(1200);
  });
  expect(viewables(opened)).toBe(0);
  await opened.page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await eventually(() => expect(viewables(opened)).toBe(1));
});

test('from 242,500 pixels up, 30 % of the pixels are enough', async () => {
  const opened = await open(partly(85));
  await opened.page.evaluate(() => AdSDK.renderAd('seen-large', 'slot'));
  await eventually(() => expect(viewables(opened)).toBe(1));
});

test('viewable is sent only to a server that allows it', async () => {
  const opened = await open(partly(250));
  await opened.page.route('**/ad', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, ext: { ...answer.ext, events: ['like'] } } });
  });
  await opened.page.evaluate(() => AdSDK.renderAd('seen', 'slot'));
  await eventually(async () => expect(await opened.signals()).toEqual(['viewable seen']));
  expect(viewables(opened)).toBe(0);
});

test('a lazy slot is requested when it comes near the viewport, an ordinary one immediately', async () => {
  const opened = await open('<div id="now"></div><div style="height:3000px"></div><div id="slot" data-lazy></div>');
  await opened.page.evaluate(() => {
    void AdSDK.renderAd('seen', 'now');
    void AdSDK.renderAd('seen', 'slot');
  });
  await opened.page.waitForTimeout(500);
  expect(opened.sentTo('/ad')).toHaveLength(1);
  await opened.page.evaluate(() => scrollTo(0, 2400));
  await opened.page.locator('#slot iframe').waitFor();
  expect(opened.sentTo('/ad')).toHaveLength(2);
});

test('destroy removes listeners, observers and elements, and cancels pending requests', async () => {
  const opened = await open('<div id="a"></div><div id="b"></div><div style="height:3000px"></div><div id="c" data-lazy></div>', COUNT);
  const held = () => opened.page.evaluate(() => ({ ...(window as unknown as { held: object }).held }));
  const before = await held();
  await opened.page.evaluate(() =>
    Promise.all([AdSDK.renderAd('seen', 'a'), AdSDK.renderNativeAd('seen-native', 'b', (assets) => `<p>${assets['title']}</p>`)]),
  );
  await opened.page.evaluate(() => void AdSDK.renderAd('seen', 'c'));
  await opened.page.locator('#a [data-adsdk-report]').click();
  await opened.page.getByRole('dialog').waitFor();
  expect(await held()).not.toEqual(before);
  await opened.page.evaluate(() => ['a', 'b', 'c'].forEach((id) => AdSDK.destroy(id)));
  expect(await held()).toEqual(before);
  expect(await opened.page.getByRole('dialog').count()).toBe(0);
  expect(await opened.page.evaluate(() => document.querySelector('#a')!.innerHTML + document.querySelector('#b')!.innerHTML)).toBe('');

  const impressions = opened.sentTo('/impression').length;
  const shown = await opened.page.evaluate(() => {
    const rendered = AdSDK.renderAd('seen', 'a');
    setTimeout(() => AdSDK.destroy('a'));
    return rendered;
  });
  expect(shown).toBe(false);
  await opened.page.evaluate(() => scrollTo(0, 3000));
  await opened.page.waitForTimeout(1300);
  expect(opened.sentTo('/impression')).toHaveLength(impressions);
  expect(await held()).toEqual(before);
});

test('without an ad or after a failed request the SDK holds no resources of the page', async () => {
  const opened = await open('<div id="slot"></div>', COUNT);
  const held = () => opened.page.evaluate(() => ({ ...(window as unknown as { held: object }).held }));
  const before = await held();
  await opened.page.evaluate(() => AdSDK.renderAd('nowhere', 'slot'));
  await opened.page.route('**/ad', (route) => route.abort());
  await opened.page.evaluate(() => AdSDK.renderAd('seen', 'slot'));
  expect(await held()).toEqual(before);
});
