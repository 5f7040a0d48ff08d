import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buildSync } from 'esbuild';
import type { Browser } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { apiOf, type ApiCall, type Json } from '../api/api-client.ts';
import { bookVideo } from '../api/book-video.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';

/** The client of Dailymotion as a script of a page: its exports become globals. */
const CLIENT = buildSync({
  stdin: {
    contents: `import { VASTClient, VASTTracker } from '@dailymotion/vast-client'; Object.assign(window, { VASTClient, VASTTracker });`,
    resolveDir: __dirname,
  },
  ...{ bundle: true, write: false, format: 'iife', platform: 'browser', external: ['@xmldom/xmldom'] },
}).outputFiles[0]!.text;

let browser: Browser;
let replica: Replica;
let api: ApiCall;
beforeAll(async () => {
  [browser, replica] = await Promise.all([
    startBrowser(['--autoplay-policy=no-user-gesture-required']),
    startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } }),
  ]);
  api = apiOf(replica.url);
});

test('a player of others plays an uploaded video to its end: impression, quartiles and click count once each', async () => {
  const file = readFileSync(path.join(__dirname, '../uploads/media/colours.mp4'));
  const stored: Json = await (await fetch(`${replica.url}/api/assets`, { method: 'PUT', body: new Uint8Array(file) })).json();
  const booked = await bookVideo(api, 'film', { media: [{ url: stored.url }] });
  const page = await (await browser.newContext()).newPage();
  // On another origin.
  const site = createServer((_, res) => res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Film</title>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  atEnd(() => void site.close());
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await page.addScriptTag({ content: CLIENT });
  const played = await page.evaluate(async (tag) => {
    const { VASTClient, VASTTracker } = window as unknown as Record<string, new (...given: unknown[]) => Json>;
    const client = new VASTClient!();
    const [ad] = (await client.get(tag, { withCredentials: true })).ads;
    const linear = ad.creatives.find(({ type }: Json) => type === 'linear');
    const tracker = new VASTTracker!(client, ad, linear);
    const video = Object.assign(document.createElement('video'), {
      muted: true,
      crossOrigin: 'anonymous',
      src: linear.mediaFiles[0].fileURL,
    });
    document.body.append(video);
    video.addEventListener('playing', () => tracker.trackImpression(), { once: true });
    const timer = setInterval(() => tracker.setProgress(video.currentTime), 50);
    await video.play();
    await new Promise((resolve) => video.addEventListener('ended', resolve, { once: true }));
    clearInterval(timer);
    tracker.complete();
    const opened = new Promise<string>((resolve) => tracker.on('clickthrough', resolve));
    tracker.click();
    await fetch(await opened, { redirect: 'manual' });
    return [video.videoWidth, video.videoHeight, Math.round(video.duration * 10)];
  }, `${replica.url}/vast?key=${booked.key}&placement=film`);
  expect(played).toEqual([64, 36, 12]);
  await eventually(async () => {
    const { today } = (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body;
    expect(today).toMatchObject({ impressions: 1, clicks: 1, spend: 0.004 });
    expect(today.events).toEqual({ start: 1, firstQuartile: 1, midpoint: 1, thirdQuartile: 1, complete: 1 });
  });
});
