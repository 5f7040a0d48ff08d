import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../testkit/until.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';
import { shoot } from './setup/shoot.ts';
import type { PublisherPage } from './setup/start-publisher-site.ts';
import { startWrappedVast, type WrappedVast } from './setup/wrapped-vast.ts';

const FILE = readFileSync(path.join(__dirname, '../uploads/media/colours.mp4'));
const MEDIA = `/static/assets/${createHash('sha256').update(FILE).digest('hex')}.mp4`;
const WEBVTT = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.100\nBoots for hills\n');
const CAPTIONS = `/static/assets/${createHash('sha256').update(WEBVTT).digest('hex')}.vtt`;
const film = (more: object = {}, url = MEDIA): string =>
  JSON.stringify({ duration: 1.183, media: [{ url, type: 'video/mp4', width: 64, height: 36 }], ...more });

let publisher: Publisher;
let wrapped: WrappedVast;
beforeAll(async () => {
  wrapped = await startWrappedVast(() => publisher.service.baseUrl + MEDIA);
  const size = [640, 360] as const;
  publisher = await startPublisher((landing) => [
    { placement: 'plain', format: 'video', size, content: film({ skip_after: 0.5 }), clickUrl: landing },
    { placement: 'gone', format: 'video', size, content: film({}, '/static/assets/nothing.mp4') },
    { placement: 'foreign', format: 'video', size, content: JSON.stringify({ tag: wrapped.tag(4) }) },
    { placement: 'deep', format: 'video', size, content: JSON.stringify({ tag: wrapped.tag(6) }) },
    { placement: 'rich', format: 'video', size, content: film(richWith(landing)) },
    { placement: 'html', format: 'html', content: '<p>A</p>' },
  ]);
  for (const [bytes, url] of [
    [FILE, MEDIA],
    [WEBVTT, CAPTIONS],
  ] as const) {
    const stored = await fetch(`${publisher.service.baseUrl}/api/assets`, { method: 'PUT', body: new Uint8Array(bytes) });
    expect((await stored.json()).url).toBe(url);
  }
});

const PICTURE = '/static/demo/img/coffee-300x250.svg';
const richWith = (landing: string) => ({
  captions: [{ url: CAPTIONS, language: 'en' }],
  icons: [{ program: 'AdChoices', width: 20, height: 20, image: PICTURE, click_url: 'https://icons.example/why' }],
  companions: [{ width: 640, height: 360, image: PICTURE, alt: 'Boots', rendering: 'end-card', click_url: `${landing}#card` }],
});

const slotOf = (placement: string, style = ''): string =>
  `<div id="slot" data-adsdk-slot="${placement}" data-sizes="640x360" style="min-height:360px;${style}"></div>`;
const open = (html: string, init = ''): Promise<PublisherPage> =>
  publisher.open({ html, init, watched: true, viewport: { width: 800, height: 600 } });
/** Of the page: its video never ends, however slow the machine is. */
const SLOWLY = `document.addEventListener('loadedmetadata', ({ target }) => Object.assign(target, { playbackRate: 0.0625, loop: true }), true);`;
const typesOf = ({ sentTo }: PublisherPage): readonly string[] => sentTo('/event').map(({ query }) => query.get('type') ?? '');
const isPaused = ({ page }: PublisherPage): Promise<boolean> =>
  page.locator('#slot video').evaluate((video: HTMLVideoElement) => video.paused);

test('a video between texts plays muted while it is in view, and reports each part of it once', async () => {
  const opened = await open(`<div style="height:2000px">Text</div>${slotOf('plain')}<div style="height:2000px">Text</div>`);
  const { page } = opened;
  const video = page.locator('#slot video');
  await video.waitFor({ state: 'attached' });
  await page.waitForTimeout(300);
  expect([await isPaused(opened), opened.sentTo('/impression').length, typesOf(opened)]).toEqual([true, 0, []]);
  // As slow as that it does not end before it is out of view again.
  await video.evaluate((one: HTMLVideoElement) => (one.playbackRate = 0.0625));
  await page.evaluate(() => document.querySelector('#slot')!.scrollIntoView({ block: 'center' }));
  await eventually(async () => expect(await isPaused(opened)).toBe(false));
  expect(await video.evaluate((one: HTMLVideoElement) => one.muted)).toBe(true);
  await page.evaluate(() => scrollTo(0, 0));
  await eventually(async () => expect(await isPaused(opened)).toBe(true));
  expect(typesOf(opened)).not.toContain('complete');
  await video.evaluate((one: HTMLVideoElement) => (one.playbackRate = 1));
  await page.evaluate(() => document.querySelector('#slot')!.scrollIntoView({ block: 'center' }));
  await eventually(() => expect(typesOf(opened)).toContain('complete'));
  expect(opened.sentTo('/impression')).toHaveLength(1);
  expect(typesOf(opened).filter((type) => type !== 'viewable')).toEqual([
    'start',
    'firstQuartile',
    'midpoint',
    'thirdQuartile',
    'complete',
  ]);
  await page.locator('#slot [data-adsdk-report]').click();
  await page.getByRole('dialog').waitFor();
  expect(opened.faults).toEqual([]);
  await eventually(async () => expect(await publisher.service.stored('plain', 'event', 'complete')).toBe(1));
  expect(await publisher.service.stored('plain', 'impression')).toBe(1);
});

test('the player is used by keys and by pointer: sound, pause, skip, and the way to the advertiser', async () => {
  const opened = await open(slotOf('plain'), SLOWLY);
  const { page } = opened;
  const video = page.locator('#slot video');
  await eventually(async () => expect(await isPaused(opened)).toBe(false));
  await page.getByRole('region', { name: 'Video advertisement' }).focus();
  await page.keyboard.press('m');
  await eventually(async () => expect(await page.getByRole('button', { name: 'Mute', exact: true }).count()).toBe(1));
  await page.keyboard.press('s');
  await page.keyboard.press('Space');
  await eventually(async () => expect(await isPaused(opened)).toBe(true));
  await page.getByRole('button', { name: 'Play', exact: true }).press('Enter');
  await eventually(async () => expect(await isPaused(opened)).toBe(false));
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await eventually(() =>
    expect(typesOf(opened).filter((type) => !/start|viewable|Quartile|midpoint/.test(type))).toEqual(['unmute', 'pause', 'resume', 'mute']),
  );
  const [landing] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Visit the advertiser' }).click()]);
  await landing.waitForURL(publisher.site.landing);
  await eventually(async () => expect(await isPaused(opened)).toBe(true));
  await landing.close();
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Video advertisement' }).focus();
  await page.keyboard.press('k');
  await video.evaluate((one: HTMLVideoElement) => (one.currentTime = 0.6));
  await page.getByRole('button', { name: 'Skip this ad' }).click();
  await eventually(() => expect(typesOf(opened)).toContain('skip'));
  expect(typesOf(opened)).not.toContain('complete');
  expect(opened.faults).toEqual([]);
});

test('a video is viewable with half of it in view, however large it is', async () => {
  const { page, ...opened } = await publisher.open({
    html: `<style>body{margin:0}</style><div style="height:400px"></div>${slotOf('plain')}<div style="height:2000px"></div>`,
    ...{ watched: true, viewport: { width: 800, height: 600 }, prepare: (before) => before.clock.install() },
  });
  const isViewable = (): boolean => opened.sentTo('/event').some(({ query }) => query.get('type') === 'viewable');
  await page.locator('#slot[data-adsdk-state=filled]').waitFor();
  // 200 of 450 pixels.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.clock.fastForward(5_000);
  expect(isViewable()).toBe(false);
  await page.evaluate(() => scrollBy(0, 100));
  await eventually(async () => {
    await page.clock.fastForward(3_000);
    expect(isViewable()).toBe(true);
  });
});

test('captions are shown on demand; a video that is over leaves its end card, with a destination by itself, and AdChoices', async () => {
  const opened = await open(slotOf('rich'), SLOWLY);
  const { page } = opened;
  const video = page.locator('#slot video');
  await eventually(async () => expect(await isPaused(opened)).toBe(false));
  const shownText = (): Promise<string> =>
    video.evaluate((one: HTMLVideoElement) => {
      const [track] = one.textTracks;
      return [track!.language, track!.mode, (track!.activeCues?.[0] as VTTCue | undefined)?.text].join(' ');
    });
  await page.getByRole('button', { name: 'Show captions' }).click();
  await eventually(async () => expect(await shownText()).toBe('en showing Boots for hills'));
  const player = page.getByRole('region', { name: 'Video advertisement' });
  await player.focus();
  await page.keyboard.press('c');
  expect(await shownText()).toMatch(/^en disabled/);
  await page.getByRole('button', { name: 'Show captions' }).focus();
  expect(typesOf(opened)).not.toContain('creativeView');
  await video.evaluate((one: HTMLVideoElement) => Object.assign(one, { loop: false, currentTime: 1, playbackRate: 1 }));
  const card = page.getByRole('link', { name: 'Boots' });
  await card.waitFor();
  expect(await page.locator('#slot button:not([data-adsdk-report])').count()).toBe(0);
  expect(await player.evaluate((one) => one === document.activeElement)).toBe(true);
  const { x, y } = (await page.getByRole('img', { name: 'AdChoices' }).boundingBox())!;
  expect(
    await page.evaluate(([left, top]) => (document.elementFromPoint(left, top) as HTMLImageElement).alt, [x + 5, y + 5] as const),
  ).toBe('AdChoices');
  await shoot(page, 'end-card');
  const [landing] = await Promise.all([page.waitForEvent('popup'), card.click()]);
  await landing.waitForURL(`${publisher.site.landing}#card`);
  await eventually(() => expect([opened.sentTo('/click').length, typesOf(opened)]).toEqual([1, expect.arrayContaining(['complete'])]));
  expect(typesOf(opened).filter((type) => type === 'creativeView')).toHaveLength(1);
  expect(opened.faults).toEqual([]);
});

test('a video that cannot be played says why and leaves no ad; one that leaves before it began gives its place back', async () => {
  const gone = await open(slotOf('gone'));
  await eventually(async () =>
    expect(await gone.signals()).toEqual(expect.arrayContaining(['noAd gone 1', 'error gone the video cannot be played'])),
  );
  const [error] = gone.sentTo('/event').filter(({ query }) => query.get('type') === 'error');
  expect(error?.query.get('code')).toBe('401');
  expect(await gone.page.locator('#slot video').count()).toBe(0);

  const left = await open(`<div style="height:2000px">Text</div>${slotOf('plain')}`);
  await left.page.locator('#slot video').waitFor({ state: 'attached' });
  await left.page.evaluate(() => document.querySelector('#slot')!.remove());
  await eventually(() => expect(typesOf(left)).toEqual(['notUsed']));
});

test('the ad of others is found behind five wrappers, and all of them are reported to; behind more it is not played', async () => {
  const opened = await open(slotOf('foreign'));
  await eventually(() => expect(typesOf(opened)).toContain('complete'));
  const each = [0, 1, 2, 3, 4].flatMap((level) => ['complete', 'impression', 'start', 'viewable'].map((what) => `${level} ${what}`));
  await eventually(() => expect(wrapped.reports.toSorted()).toEqual([...each, '0 unverified-2'].toSorted()));
  await eventually(() => expect(typesOf(opened).filter((type) => type === 'viewable')).toHaveLength(1));
  await eventually(() => expect(opened.sentTo('/impression')).toHaveLength(1));
  const deep = await open(slotOf('deep'));
  await eventually(async () => expect(await deep.signals()).toContain('error deep the ad has too many wrappers'));
  expect(deep.sentTo('/event').map(({ query }) => [query.get('type'), query.get('code')])).toEqual([['error', '302']]);
});

test('the player is loaded with the first video only', async () => {
  const opened = await publisher.open({
    html: `<div id="slot" data-adsdk-slot="html"></div>`,
    prepare: (page) => page.route(/adsdk-player/, (route) => route.abort()),
  });
  await opened.page.locator('[data-adsdk-state="filled"]').waitFor();
  const resources = await opened.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  expect(resources.filter((name) => name.includes('adsdk-player'))).toEqual([]);
});
