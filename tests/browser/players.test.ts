import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Script } from 'node:vm';
import { buildSync } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { apiOf, type ApiCall, type Json } from '../api/api-client.ts';
import { bookVideo, type BookedVideo } from '../api/book-video.ts';
import { codeBlocksOf } from '../docs/documents.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';

const FILE = readFileSync(path.join(__dirname, '../uploads/media/colours.mp4'));
const bundle = (contents: string, external: string[] = []): string =>
  buildSync({
    stdin: { contents, resolveDir: __dirname },
    ...({ bundle: true, write: false, format: 'iife', platform: 'browser' } as const),
    ...({ external, define: { global: 'window' }, loader: { '.css': 'empty', '.svg': 'dataurl' }, logLevel: 'error' } as const),
  }).outputFiles[0]!.text;
/** What Fluid Player loads for streams, which no ad here is. */
const STREAMS = ['dashjs', 'hls.js', 'panolens', 'videojs-vtt.js'];
const [HELPER = ''] = codeBlocksOf('docs/video.md').flatMap(({ language, text }) => (language === 'js' ? [text] : []));
const [IMA = ''] = codeBlocksOf('docs/video.md').flatMap(({ language, text }) => (language === 'html' ? [text] : []));

let browser: Browser;
let replica: Replica;
let api: ApiCall;
let media: string;
let site: string;
beforeAll(async () => {
  [browser, replica] = await Promise.all([
    startBrowser(['--autoplay-policy=no-user-gesture-required']),
    startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } }),
  ]);
  api = apiOf(replica.url);
  media = (await (await fetch(`${replica.url}/api/assets`, { method: 'PUT', body: new Uint8Array(FILE) })).json()).url;
  // On another origin.
  const server = createServer((request, response) => {
    if (request.url === '/film.mp4') return response.setHeader('Content-Type', 'video/mp4').end(FILE);
    return response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Film</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

/** What the tests use of video.js, with the module. */
interface VideoJs {
  readonly videojs: (element: Element, options: object) => Player;
  readonly playAds: (player: Player, tag: string, showCompanions: (variations: Json[], shown: (companion: Json) => void) => void) => void;
}
interface Player {
  on(event: string, listener: () => void): void;
  src(file: object): void;
  play(): void;
  currentSrc(): string;
  currentTime(): number;
  playbackRate(rate: number): void;
  readonly ads: { isInAdMode(): boolean };
}

const film = (more: object = {}): object => ({ media: [{ url: media }], ...more });
const addAd = async (booked: BookedVideo, cpm: number, content: object): Promise<Json> => {
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const campaign = (await api('POST', '/campaigns', { publisher_id: booked.publisher, name: `Of ${cpm}`, ...flight })).body;
  const item = (await api('POST', '/line_items', { campaign_id: campaign.id, name: `Of ${cpm}`, active: true, cpm, ...flight })).body;
  const creative = { placement_id: booked.placement, line_item_id: item.id, format: 'video', content: JSON.stringify(content) };
  expect((await api('POST', '/creatives', { ...creative, click_url: 'https://tea.example/' })).status).toBe(201);
  return item;
};
const eventsOf = async (lineItem: number): Promise<Json> => (await api('GET', `/line_items/${lineItem}/delivery`)).body.today;
const openSite = async (script: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  await page.goto(site);
  await page.addScriptTag({ content: script });
  expect(faults).toEqual([]);
  return page;
};

describe('video.js with the module of docs/video.md', () => {
  const VIDEO_JS = bundle(
    `import videojs from 'video.js'; import 'videojs-contrib-ads'; ${HELPER}\nObject.assign(window, { videojs, playAds });`,
  );

  test('plays the ads of a break in their order before the film: each counts once, companions are shown, one is clicked, one skipped', async () => {
    const companions = [{ width: 300, height: 250, image: 'https://cdn.example.com/boots.png', alt: 'Boots' }];
    const booked = await bookVideo(api, 'js', film({ companions }), {}, { click_url: `${site}/boots` });
    await api('PATCH', '/placements/js', { video: { pod: { max_ads: 3, max_duration: 30 } } });
    const second = await addAd(booked, 3, film({ skip_after: 0 }));
    const third = await addAd(booked, 2, {
      duration: 1,
      media: [{ url: `${site}/nothing.mp4`, type: 'video/mp4', width: 64, height: 36 }],
    });
    await eventually(async () => expect((await (await fetch(tagOf(booked))).text()).match(/<Ad /g)).toHaveLength(3));
    const page = await openSite(VIDEO_JS);
    const playing = page.evaluate(
      async ([tag, url]) => {
        const { videojs, playAds } = window as unknown as VideoJs;
        const element = Object.assign(document.createElement('video'), { id: 'film', muted: true, className: 'video-js' });
        document.body.append(element);
        const player = videojs(element, { width: 640, height: 360 });
        Object.assign(window, { player });
        const order: string[] = [];
        playAds(player, tag, (variations: Json[], shown: (companion: Json) => void) => {
          order.push(`companion ${variations[0].width}`);
          shown(variations[0]);
        });
        player.on('adplaying', () => {
          // As slow as that it has not ended before it is clicked.
          if (!order.includes('ad')) player.playbackRate(0.0625);
          order.push(player.currentSrc().endsWith('nothing.mp4') ? 'broken' : 'ad');
        });
        player.on('adtimeupdate', () => {
          const skip = document.querySelector<HTMLElement>('.ad-skip');
          if (skip && !skip.hidden && player.currentTime() > 0.6) skip.click();
        });
        player.src({ src: url, type: 'video/mp4' });
        player.play();
        await new Promise<void>((resolve) => player.on('playing', () => void (player.ads.isInAdMode() || resolve())));
        return [...order, player.currentSrc().replace(/.*\//, '')];
      },
      [tagOf(booked), `${site}/film.mp4`] as const,
    );
    await page.locator('.ad-link').waitFor();
    // No person clicks within a tenth of a second of what they see.
    await eventually(async () => expect(await eventsOf(booked.lineItem)).toMatchObject({ impressions: 1 }));
    const [landing] = await Promise.all([page.waitForEvent('popup'), page.locator('.ad-link').click()]);
    await landing.waitForURL(`${site}/boots`);
    await landing.close();
    await page.evaluate(() => (window as unknown as { player: Player }).player.playbackRate(1));
    const played = await playing;
    expect(played.at(-1)).toBe('film.mp4');
    expect(played).toContain('companion 300');
    await eventually(async () => {
      const first = await eventsOf(booked.lineItem);
      expect(first).toMatchObject({ impressions: 1, clicks: 1 });
      expect(first.events).toMatchObject({ creativeView: 1, start: 1, firstQuartile: 1, midpoint: 1, thirdQuartile: 1, complete: 1 });
      const skipped = await eventsOf(second.id);
      expect([skipped.impressions, skipped.events.skip, skipped.events.complete]).toEqual([1, 1, undefined]);
      const broken = await eventsOf(third.id);
      expect([broken.impressions, broken.events]).toEqual([0, { error_405: 1 }]);
    });
  });
});

test('Fluid Player plays the breaks that a client of VMAP reads: before and after the film', async () => {
  const booked = await bookVideo(api, 'fluid', film());
  const breaks = [
    { at: 'start', max_ads: 1, max_duration: 30 },
    { at: 'end', max_ads: 1, max_duration: 30 },
  ];
  await api('PATCH', '/placements/fluid', { video: { breaks, vast: '3.0' } });
  await eventually(async () => expect(await (await fetch(tagOf(booked, '&break=2'))).text()).toContain('<Ad '));
  const page = await openSite(
    bundle(
      `import fluidPlayer from 'fluid-player'; import VMAP from '@dailymotion/vmap'; Object.assign(window, { fluidPlayer, VMAP });`,
      STREAMS,
    ),
  );
  const rolls = await page.evaluate(
    async ([tag, url]) => {
      const { fluidPlayer, VMAP } = window as unknown as {
        fluidPlayer: (...of: unknown[]) => void;
        VMAP: new (xml: Document) => { adBreaks: Json[] };
      };
      const document_ = new DOMParser().parseFromString(await (await fetch(tag)).text(), 'text/xml');
      const adList = new VMAP(document_).adBreaks.map(({ timeOffset, adSource }) => ({
        roll: timeOffset === 'start' ? 'preRoll' : 'postRoll',
        vastTag: adSource.adTagURI.uri,
      }));
      const element = Object.assign(document.createElement('video'), { id: 'film', muted: true });
      element.append(Object.assign(document.createElement('source'), { src: url, type: 'video/mp4' }));
      document.body.append(element);
      fluidPlayer('film', { layoutControls: { autoPlay: true, mute: true }, vastOptions: { adList } });
      return adList.map(({ roll }) => roll);
    },
    [tagOf(booked).replace('/vast?', '/vmap?'), `${site}/film.mp4`] as const,
  );
  expect(rolls).toEqual(['preRoll', 'postRoll']);
  await eventually(async () => {
    const { impressions, events } = await eventsOf(booked.lineItem);
    expect([impressions, events.start, events.complete]).toEqual([2, 2, 2]);
  });
});

test('the tags give Google IMA what it reads: its page parses, and its tag answers with credentials', async () => {
  const booked = await bookVideo(api, 'ima', film());
  await api('PATCH', '/placements/ima', { video: { breaks: [{ at: 'start', max_ads: 1, max_duration: 30 }] } });
  await api('PATCH', `/publishers/${booked.publisher}`, { origins: [site] });
  const scripts = [...IMA.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  expect(scripts).toHaveLength(1);
  const page = await openSite('/* The page alone. */');
  expect(() => new Script(scripts[0]!)).not.toThrow();
  const [, named = ''] = /adTagUrl = '([^']+)'/.exec(scripts[0]!) ?? [];
  const address = named
    .replace('https://ads.example.com', replica.url)
    .replace('publisher_id=1', `publisher_id=${booked.publisher}`)
    .replace('=film', '=ima');
  await eventually(async () => {
    const read = await page.evaluate(
      async (url) => {
        const get = async (from: string): Promise<Document> =>
          new DOMParser().parseFromString(await (await fetch(from, { credentials: 'include' })).text(), 'text/xml');
        const tag = (await get(url)).getElementsByTagNameNS('http://www.iab.net/videosuite/vmap', 'AdTagURI')[0]?.textContent ?? '';
        const vast = await get(tag);
        const addresses = [...vast.querySelectorAll('Impression, Tracking, MediaFile, ClickThrough, Error')].map(
          (element) => element.textContent ?? '',
        );
        return [
          addresses.length > 5,
          addresses.every((one) => /^https?:\/\//.test(one)),
          vast.querySelector('Error')?.textContent?.includes('[ERRORCODE]'),
        ];
      },
      address + encodeURIComponent(site),
    );
    expect(read).toEqual([true, true, true]);
  });
});

const tagOf = ({ key, placement }: BookedVideo, more = ''): string => `${replica.url}/vast?key=${key}&placement=${placement}${more}`;
