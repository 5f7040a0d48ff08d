import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';

const html = (placement: string, content: string) => ({ placement, format: 'html' as const, content });

let publisher: Publisher;

beforeAll(async () => {
  publisher = await startPublisher(
    [
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
        `<script>for (let i = 0; i < 20000; i++) { AdSDK_Creative_Event('progress'); parent.postMessage({ adsdk: 'x', click: 1 }, '*'); }</script>`,
      ),
      html(
        'odd',
        `<script>for (const data of [null, 1, 'click', [], { adsdk: 'impression' }, { adsdk: 1, event: 'progress' }, { event: 'progress' }, { adsdk: undefined, event: 'progress' },
          { adsdk: { toString: 0 } }, { click: 1 }]) parent.postMessage(data, '*');
          for (const type of ['', 'x'.repeat(65), 'viewable', 'like']) AdSDK_Creative_Event(type)</script>`,
      ),
      html(
        'auto-click',
        `<a id="go" href="http://evil.invalid/">x</a><script>go.click(); AdSDK_Creative_Event('share'); AdSDK_Creative_Event('progress'); parent.postMessage({ click: 1 }, '*')</script>`,
      ),
      html('quiet', '<p>Quiet</p>'),
      html(
        'nested',
        `<iframe srcdoc="<script>parent.parent.postMessage({ adsdk: '', event: 'progress' }, '*')</scr` +
          `ipt>"></iframe>
         <script>for (let i = 0; i < parent.length; i++) parent[i].postMessage({ adsdk: '', event: 'progress' }, '*')</script>`,
      ),
      html('breakout', `</body></html></iframe><script>document.title='x'</script><img src=x onerror="parent.document.body.remove()">`),
      // Sends clicks all the time, and takes the focus whenever it has lost it.
      html(
        'patient',
        `<input id="field"><script>
        const keys = [document.currentScript.dataset.key, ...[...document.querySelectorAll('script')].map((one) => one.dataset.key), AdSDK_Creative_Event.toString()];
        setInterval(() => { window.focus(); field.focus(); for (const adsdk of keys) { parent.postMessage({ adsdk, click: 1 }, '*'); parent.postMessage({ adsdk, event: 'like', gesture: true }, '*') } AdSDK_Creative_Event('like') }, 50)
      </script>`,
      ),
      html(
        'script-links',
        ['javascript:', ' java\tscript:', '\u0001JavaScript:']
          .flatMap((scheme) =>
            ['', '_top', '_parent', '_blank', 'other'].map(
              (target) => `<a href="${scheme}(opener || top).document.title='owned'"${target && ` target="${target}"`}>x</a> `,
            ),
          )
          .join('') +
          `<svg width="9" height="9"><a href="javascript:top.document.title='owned'"><rect width="9" height="9"/></a></svg>
          <a id="own" href="javascript:void 0" onclick="document.body.append('ran')">x</a>`,
      ),
      html('keys', `<div id="like" role="button" tabindex="0" onkeydown="AdSDK_Creative_Event('like')">Like</div>`),
      html('gestures', `<button id="like" onclick="for (let i = 0; i < 5; i++) AdSDK_Creative_Event('like')">Like</button>`),
    ],
    { ALLOWED_EVENTS: 'like,share,comment,progress' },
  );
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

test('a click or a share without a user gesture is not counted, an event that claims no gesture is', async () => {
  const { sentTo } = await show('auto-click');
  expect(sentTo('/click')).toHaveLength(0);
  expect(sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['progress']);
});

test('a creative that sends clicks all the time and takes the focus gets none when the visitor clicks elsewhere, types and scrolls', async () => {
  const { page, sentTo } = await show('patient', '<div id="slot"></div><p id="text">Text</p><button id="other">Other</button>');
  await page.locator('#text').click();
  for (const key of ['Tab', 'x', 'PageDown', 'ArrowDown', 'Escape']) {
    await page.locator('#other').click();
    // What is typed goes to the creative.
    await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME'));
    await page.keyboard.press(key);
    await page.waitForTimeout(200);
  }
  expect(sentTo('/click')).toHaveLength(0);
  expect(sentTo('/event')).toHaveLength(0);
});

test('a link to a script leads nowhere, and is no click on the ad; its own handler runs', async () => {
  const { page, sentTo } = await show('script-links', '<div id="slot"></div><iframe name="other"></iframe>');
  const windows: unknown[] = [];
  page.context().on('page', (opened) => windows.push(opened.url()));
  const creative = page.frameLocator('#slot iframe');
  const links = creative.locator('a:not(#own)');
  const count = await links.count();
  for (let i = 0; i < count; i++) await links.nth(i).click();
  await creative.locator('#own').click();
  expect(await creative.locator('body').innerText()).toContain('ran');
  await page.waitForTimeout(300);
  expect([count, windows, await page.title(), sentTo('/click').length]).toEqual([16, [], 'A page', 0]);
});

test('one gesture in the frame is one event', async () => {
  const { page, sentTo } = await show('gestures');
  await page.frameLocator('#slot iframe').locator('#like').click();
  await page.waitForTimeout(300);
  expect(sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['like']);
  expect(sentTo('/click')).toHaveLength(0);
});

test.each(['Enter', ' '])('a key that presses is a gesture in the frame (%p)', async (key) => {
  const { page, sentTo } = await show('keys');
  await page.frameLocator('#slot iframe').locator('#like').press(key);
  await eventually(() => expect(sentTo('/event').map((hit) => hit.query.get('type'))).toEqual(['like']));
});

test('messages from another frame or from a frame inside the creative are ignored', async () => {
  const forger = `<script>setInterval(() => { parent.postMessage({ adsdk: '', event: 'progress' }, '*'); parent.postMessage({ adsdk: '', click: 1 }, '*') }, 20)</script>`;
  const { sent, page } = await show(
    'quiet',
    `<div id="slot"></div><iframe sandbox="allow-scripts" srcdoc="${forger.replaceAll('"', '&quot;')}"></iframe>`,
  );
  // After a user gesture, which enables real clicks.
  await page.mouse.click(5, 5);
  await page.evaluate(() => window.postMessage({ adsdk: '', event: 'progress' }, '*'));
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
