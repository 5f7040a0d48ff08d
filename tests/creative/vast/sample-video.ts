import { parseCreativeContent } from '../../../src/catalog/checks/parse-content.ts';
import { isVideo, type VideoContent } from '../../../src/catalog/model/entities.ts';

const HASH = 'ab'.repeat(32);

/** A video with everything that a creative may have. */
export const FULL_VIDEO = {
  duration: 15,
  media: [
    {
      url: `/static/assets/${HASH}.mp4`,
      type: 'video/mp4',
      width: 1280,
      height: 720,
      bitrate: 2_000,
      codec: 'avc1.64001f',
      bytes: 3_700_000,
    },
    { url: 'https://cdn.example/a.webm?a=1&b=2', type: 'video/webm', width: 640, height: 360 },
    { url: 'https://cdn.example/a.m3u8', type: 'application/x-mpegurl', width: 1920, height: 1080 },
  ],
  mezzanine: { url: 'https://cdn.example/raw.mp4', type: 'video/mp4', width: 1920, height: 1080 },
  captions: [{ url: `/static/assets/${HASH}.vtt`, language: 'en' }],
  poster: `/static/assets/${HASH}.jpg`,
  skip_after: 5,
  companions: [
    { width: 300, height: 250, image: `/static/assets/${HASH}.png`, alt: 'Boots & more ]]> <b>' },
    {
      width: 728,
      height: 90,
      html: '<a href="https://boots.example/?a=1&b=2">]]> Boots</a>',
      click_url: 'https://boots.example/sale',
      rendering: 'end-card',
    },
    { width: 160, height: 600, frame: 'https://boots.example/tower' },
  ],
  icons: [{ program: 'AdChoices', width: 20, height: 20, image: 'https://icons.example/a.svg', click_url: 'https://icons.example/why' }],
  verifications: [{ vendor: 'measurer.example-omid', script: 'https://measurer.example/omid.js', parameters: '{"a":"<&]]>"}' }],
  universal_ad_id: { registry: 'ad-id.org', id: 'CNPA0484000H' },
  interactive: 'https://boots.example/simid.html',
  trackers: {
    impression: ['https://t.example/i', 'https://t.example/i2?x=[TIMESTAMP]'.replace('[TIMESTAMP]', '1')],
    click: ['https://t.example/c'],
    error: ['https://t.example/e'],
    start: ['https://t.example/s'],
    playerExpand: ['https://t.example/x'],
  },
};

export const videoOf = (content: object, format: 'video' | 'audio' = 'video'): VideoContent => {
  const parsed = parseCreativeContent(format, JSON.stringify(content));
  if ('fault' in parsed) throw new Error(`${parsed.fault.pointer} ${parsed.fault.detail}`);
  if (!isVideo(parsed.content)) throw new Error('not a video');
  return parsed.content;
};
