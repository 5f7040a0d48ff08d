import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readUpload } from '../../src/uploads/read-upload.ts';
import { mp3, mp4With } from './sample-media.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const sample = (name: string): Buffer => readFileSync(path.join(__dirname, 'media', name));
const read = async (bytes: Buffer): Promise<unknown> => {
  const outcome = await readUpload(bytes);
  if ('fault' in outcome) return outcome.fault;
  const { type, width, height, playback, path: at } = outcome.asset;
  return { type, width, height, ...playback, extension: at.slice(65) };
};

test('type, size, length, bitrate and codecs are read from the bytes, whatever the name', async () => {
  expect(await read(sample('colours.mp4'))).toEqual({
    ...{ type: 'video/mp4', width: 64, height: 36, extension: 'mp4' },
    ...{ durationMs: 1_183, bitrateKbps: 17, codec: 'avc1.42c00a' },
  });
  expect(await read(sample('colours.webm'))).toEqual({
    ...{ type: 'video/webm', width: 64, height: 36, extension: 'webm' },
    ...{ durationMs: 1_139, bitrateKbps: 16, codec: 'vp8' },
  });
  expect(await read(sample('tone.m4a'))).toEqual({
    ...{ type: 'audio/mp4', width: null, height: null, extension: 'm4a' },
    ...{ durationMs: 1_160, bitrateKbps: 13, codec: 'Opus' },
  });
  expect(await read(mp3(40))).toMatchObject({
    type: 'audio/mpeg',
    width: null,
    extension: 'mp3',
    codec: 'MPEG 1 Layer 3',
    bitrateKbps: 128,
  });
});

test('captions are WebVTT with a cue', async () => {
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n';
  expect(await read(Buffer.from(vtt))).toEqual({ type: 'text/vtt', width: null, height: null, extension: 'vtt' });
  expect(await read(Buffer.from('WEBVTT\n\nno cue'))).toBe('is not WebVTT in UTF-8 with at least one cue');
  expect(await read(Buffer.concat([Buffer.from(vtt), Buffer.alloc(300_000, 'x')]))).toMatch(/^has 301 KB; captions may have/);
});

test.each([
  ['a video that is cut off', sample('colours.mp4').subarray(0, 2_000), 'is cut off'],
  [
    'a picture that says it is a video',
    Buffer.concat([sample('colours.mp4').subarray(0, 36), Buffer.from('<html>')]),
    'is not an MP4 that can be read',
  ],
  ['Matroska', Buffer.from('1a45dfa3934282886d6174726f736b61', 'hex'), 'is Matroska, which browsers do not play: export it as WebM or MP4'],
  ['boxes that never end', mp4With(Buffer.from('\0\0\0\x01moov', 'latin1')), 'is cut off, or not an MP4'],
  ['nested boxes without end', mp4With(nestedBoxes(20_000)), 'is not an MP4 that can be read'],
  ['a description of 300 KB', mp4With(box('moov', Buffer.alloc(300_000))), /^has more than 263 KB of description/],
  ['a video of 17 MB', mp4With(box('mdat', Buffer.alloc(17 * 1024 ** 2))), /^has 17.9 MB; at most 16.8 MB are accepted/],
  ['a sound of 5 MB', mp3(13_000), /^has 5.5 MB; a sound may have 4.2 MB/],
  ['text', Buffer.from('ID3 but no frame at all'), 'is neither a video nor a sound that can be read'],
] as const)('%s is refused in words', async (_, bytes, fault) => {
  expect(await read(bytes)).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
});

test('a description that takes the library longest takes less than a second of CPU', async () => {
  const boxes = Buffer.concat(Array.from({ length: 32_000 }, () => box('free', Buffer.alloc(0))));
  await expectCpuBelow(1_000, () => read(mp4With(box('moov', boxes))));
});

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function nestedBoxes(depth: number): Buffer {
  const boxes = Buffer.alloc(depth * 8);
  for (let i = 0; i < depth; i++) {
    boxes.writeUInt32BE((depth - i) * 8, i * 8);
    boxes.write('moov', i * 8 + 4, 'latin1');
  }
  return boxes;
}
