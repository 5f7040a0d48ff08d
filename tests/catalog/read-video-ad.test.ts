import { parseCreativeContent } from '../../src/catalog/checks/parse-content.ts';
import { FULL_VIDEO, videoOf } from '../creative/vast/sample-video.ts';

const media = { url: 'https://cdn.example/a.mp4', type: 'video/mp4', width: 640, height: 360 };
const small = { duration: 15, media: [media] };
const sound = { duration: 20, media: [{ url: 'https://cdn.example/a.mp3', type: 'audio/mpeg' }] };

test('a video needs a file and a duration; the rest has defaults', () => {
  expect(videoOf(small).video).toEqual({
    durationMs: 15_000,
    media: [{ ...media, bitrateKbps: null, codec: null, bytes: null }],
    ...{ mezzanine: null, captions: [], poster: null, skipAfterMs: null, companions: [], icons: [], verifications: [] },
    ...{ universalAdId: null, interactive: null, trackers: {}, tag: null },
  });
  expect(videoOf(sound, 'audio').video.media).toMatchObject([{ width: 0, height: 0, type: 'audio/mpeg' }]);
  expect(videoOf({ tag: 'https://other.example/vast' }).video).toMatchObject({
    tag: 'https://other.example/vast',
    media: [],
    durationMs: null,
  });
});

test('quotes in an address are encoded, so that nothing can end the attribute of a template', () => {
  expect(videoOf({ ...small, poster: `https://a.example/'"<>` }).video.poster).toBe('https://a.example/%27%22%3C%3E');
});

test('an interactive creative may be in its address', () => {
  const interactive = 'data:text/html;base64,PGI+Ym9vdHM8L2I+';
  expect(videoOf({ ...small, interactive }).video.interactive).toBe(interactive);
});

test.each([
  ['video', [], ''],
  ['video', { media: [media] }, '/duration'],
  ['video', { ...small, duration: 4_000 }, '/duration'],
  ['video', { ...small, skip_after: 15 }, '/skip_after'],
  ['video', { ...small, media: Array.from({ length: 13 }, () => media) }, '/media'],
  ['video', { ...small, media: [{ ...media, url: 'javascript:alert(1)' }] }, '/media/0/url'],
  ['video', { ...small, media: [{ ...media, url: 'file:///etc/passwd' }] }, '/media/0/url'],
  ['video', { ...small, media: [{ ...media, type: 'audio/mpeg' }] }, '/media/0/type'],
  ['video', { ...small, media: [{ ...media, width: 0 }] }, '/media/0/width'],
  ['video', { ...small, media: [{ ...media, hight: 1 }] }, '/media/0/hight'],
  ['audio', { ...sound, media: [media] }, '/media/0/type'],
  ['video', { ...small, tag: 'https://other.example/vast' }, '/duration'],
  ['video', { tag: '/vast' }, '/tag'],
  ['video', { tag: 'https://10.1.2.3/vast' }, '/tag'],
  ['video', { ...small, media: [{ ...media, type: 'application/x-mpegURL', url: 'http://169.254.169.254/a.m3u8' }] }, '/media/0/url'],
  ['video', { ...small, media: [{ ...media, type: 'application/dash+xml', url: 'https://0xa.0x0.0x0.0x1/a.mpd' }] }, '/media/0/url'],
  ['video', { ...small, media: [{ ...media, url: 'https://[fd00::1]/a.mp4' }] }, '/media/0/url'],
  ['video', { ...small, media: [{ ...media, url: 'https://files.internal/a.mp4' }] }, '/media/0/url'],
  ['video', { ...small, companions: [{ width: 300, height: 250 }] }, '/companions/0'],
  ['video', { ...small, companions: [{ width: 300, height: 250, image: '/a.png', html: '<b>' }] }, '/companions/0'],
  ['video', { ...small, companions: [{ width: 300, height: 250, image: '/a.png', rendering: 'popup' }] }, '/companions/0/rendering'],
  ['video', { ...small, icons: [{ program: 'AdChoices', width: 20, height: 20, image: '/i.svg', x: 'middle' }] }, '/icons/0/x'],
  ['video', { ...small, verifications: [{ vendor: 'a', script: '/omid.js' }] }, '/verifications/0/script'],
  ['video', { ...small, universal_ad_id: { registry: 'ad-id.org' } }, '/universal_ad_id/id'],
  ['video', { ...small, interactive: 'data:image/png,a' }, '/interactive'],
  ['video', { ...small, interactive: `data:text/html,${'a'.repeat(65_536)}` }, '/interactive'],
  ['video', { ...small, trackers: { begin: [] } }, '/trackers/begin'],
  ['video', { ...small, trackers: { start: ['/own'] } }, '/trackers/start/0'],
  ['video', { ...small, speed: 2 }, '/speed'],
] as const)('%s content %j has its fault named', (format, content, pointer) => {
  const parsed = parseCreativeContent(format, JSON.stringify(content));
  expect('fault' in parsed ? parsed.fault.pointer : undefined).toBe(pointer);
});

test('a full video has all that was given', () => {
  const { video } = videoOf(FULL_VIDEO);
  expect(video.media[2]).toMatchObject({ type: 'application/x-mpegURL' });
  expect(video.companions.map(({ resource, rendering }) => [resource.is, rendering])).toEqual([
    ['image', 'default'],
    ['html', 'end-card'],
    ['frame', 'default'],
  ]);
  expect(video.skipAfterMs).toBe(5_000);
});
