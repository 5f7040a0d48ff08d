import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

const html = (placement: string, content: string) => ({ placement, format: 'html' as const, content });

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher([
    html(
      'top',
      `<script>try { top.location = 'http://evil.invalid/' } catch (e) {} try { top.location.replace('http://evil.invalid/') } catch (e) {}</script>`,
    ),
    html(
      'parent',
      `<script>
          const tries = [() => parent.document.title = 'owned', () => parent.localStorage.x = 1, () => parent.AdSDK.version, () => localStorage.x = 1, () => document.cookie = 'a=1'];
          document.body.append(tries.map((attempt) => { try { attempt(); return 'done'; } catch (e) { return e.name; } }).join(' '));
        </script>`,
    ),
    html(
      'flood',
      `<script>for (let i = 0; i < 20000; i++) { parent.postMessage({ adsdk: 'event', type: 'like' }, '*'); parent.postMessage({ adsdk: 'click' }, '*'); }</script>`,
    ),
    html(
      'odd',
      `<script>for (const data of [null, 1, 'click', [], { adsdk: 'impression' }, { adsdk: 'event' }, { adsdk: 'event', type: {} }, { adsdk: 'event', type: '' },
          { adsdk: 'event', type: 'x'.repeat(65) }, { adsdk: { toString: 0 } }, { type: 'like' }]) parent.postMessage(data, '*')</script>`,
    ),
    html(
      'auto-click',
      `<a id="go" href="http://evil.invalid/">x</a><script>go.click(); AdSDK_Creative_Event('share'); parent.postMessage({ adsdk: 'click' }, '*')</script>`,
    ),
    html('quiet', '<p>Quiet</p>'),
    html(
      'nested',
      `<iframe srcdoc="<script>parent.parent.postMessage({ adsdk: 'event', type: 'like' }, '*')</scr` +
        `ipt>"></iframe>
         <script>for (let i = 0; i < parent.length; i++) parent[i].postMessage({ adsdk: 'event', type: 'like' }, '*')</script>`,
    ),
    html('breakout', `</body></html></iframe><script>document.title='x'</script><img src=x onerror="parent.document.body.remove()">`),
  ]);
});

const show = async (placement: string, body = '<div id="slot"></div>'): Promise<PublisherPage> => {
  const opened = await publisher.open({ html: body, run: `AdSDK.renderAd('${placement}', 'slot')` });
  await opened.page.waitForTimeout(400);
  return opened;
};

test('a creative cannot navigate the page', async () => {
  const { page } = await show('top');
  expect(page.url()).toContain(publisher.site.url);
  expect(await page.locator('#slot iframe').count()).toBe(1);
});

test('a creative cannot read or change the page, its storage or cookies', async () => {
  const { page } = await show('parent');
  expect(await page.frameLocator('#slot iframe').locator('body').innerText()).toBe(Array(5).fill('SecurityError').join(' '));
  expect(await page.title()).toBe('A page');
});

test('at most ten messages per second of a frame are handled', async () => {
  const started = performance.now();
  const { sentTo, page } = await show('flood');
  await eventually(() => expect(sentTo('/event').length).toBeGreaterThan(0));
  await page.waitForTimeout(500);
  const seconds = Math.ceil((performance.now() - started) / 1000);
  expect(sentTo('/event').length).toBeLessThanOrEqual(10 * seconds);
  expect(sentTo('/click').length).toBe(0);
});

test('messages of an unknown format have no effect', async () => {
  const { sent, faults } = await show('odd');
  expect(sent.map((one) => one.path)).toEqual(['/ad', '/impression']);
  expect(faults).toEqual([]);
});

test('a click without a user gesture is not counted', async () => {
  const { sentTo } = await show('auto-click');
  expect(sentTo('/click')).toHaveLength(0);
  expect(sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['share']);
});

test('messages from another frame or from a frame inside the creative are ignored', async () => {
  const forger = `<script>setInterval(() => { parent.postMessage({ adsdk: 'event', type: 'like' }, '*'); parent.postMessage({ adsdk: 'click' }, '*') }, 20)</script>`;
  const { sent, page } = await show(
    'quiet',
    `<div id="slot"></div><iframe sandbox="allow-scripts" srcdoc="${forger.replaceAll('"', '&quot;')}"></iframe>`,
  );
  // After a user gesture, which enables real clicks.
  await page.mouse.click(5, 5);
  await page.evaluate(() => window.postMessage({ adsdk: 'event', type: 'like' }, '*'));
  await page.waitForTimeout(300);
  expect(sent.map((one) => one.path)).toEqual(['/ad', '/impression']);
  const nested = await show('nested');
  expect(nested.sentTo('/event')).toHaveLength(0);
});

test('markup cannot leave its frame', async () => {
  const { page } = await show('breakout');
  expect(await page.title()).toBe('A page');
  expect(await page.locator('body > #slot').count()).toBe(1);
});
