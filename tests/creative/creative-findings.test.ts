import { readFileSync } from 'node:fs';
import { pictureMovement } from '../../src/creative/checks/picture-movement.ts';
import { readAdFacts } from '../../src/creative/checks/read-ad-facts.ts';
import { contrastFaults } from '../../src/creative/checks/contrast.ts';

test.each([
  ['.a{animation: fall 2s linear infinite}', 'endless'],
  ['.a{animation:fall 2s ease-in 500ms 3 both}', 6_500],
  ['.a{animation: fall 40s cubic-bezier(0.1, 0.7, 1, 0.1), turn 1s}', 40_000],
  ['.a{animation-name:fall;animation-duration:1.5s;animation-iteration-count:infinite}', 'endless'],
  ['<b style="animation:fall 12s 3">x</b>', 36_000],
  ['.a{transition: left 60s}', 0],
  ['<b>still</b>', 0],
])('%s moves for %s ms', (text, movement) => {
  expect(readAdFacts([text]).movement).toBe(movement);
});

test.each([
  ['<img src="http://cdn.example/a.png">', ['http://cdn.example/a.png']],
  ['.a{background:url(http://cdn.example/b.png)}', ['http://cdn.example/b.png']],
  ['<link rel="stylesheet" href="http://cdn.example/c.css">', ['http://cdn.example/c.css']],
  ['fetch("http://cdn.example/d.json")', ['http://cdn.example/d.json']],
  ['<svg xmlns="http://www.w3.org/2000/svg"><a href="http://boots.example/">x</a></svg>', []],
  ['<img src="https://cdn.example/a.png">', []],
])('%s loads %j without encryption', (text, insecure) => {
  expect(readAdFacts([text]).insecure).toEqual(insecure);
});

test.each([
  ['<video autoplay src="a.mp4">', true],
  ['<video autoplay muted src="a.mp4">', false],
  ['<audio controls src="a.mp3">', false],
  ['new Audio("a.mp3").play()', true],
])('%s has sound by itself: %s', (text, hasSound) => {
  expect(readAdFacts([text]).hasSound).toBe(hasSound);
});

test.each([
  ['onclick="window.open(clickTag)"', true],
  ['var clickTAG = "https://boots.example/"', true],
  ['<a href="https://boots.example/">x</a>', true],
  ['<b>x</b>', false],
])('%s has a click: %s', (text, hasClick) => {
  expect(readAdFacts([text]).hasClick).toBe(hasClick);
});

test.each([
  ['.a{color:#999;background:#fff}', [{ colours: '#999999 on #ffffff', ratio: 2.8 }]],
  ['<b style="background-color: rgb(255, 255, 0); color: white">x</b>', [{ colours: '#ffffff on #ffff00', ratio: 1.1 }]],
  ['.a{color:#000;background:#fff}', []],
  ['.a{color:#fff;background:url(a.png)}', []],
  ['.a{border-color:#fff;background:#fff}', []],
])('%s has weak contrast %j', (text, weak) => {
  expect(contrastFaults(text)).toEqual(weak);
});

/** A GIF of 1 × 1 pixels with frames of 500 ms. @param repeats undefined: it says nothing of them */
const gif = (frames: number, repeats?: number): Buffer => {
  const loop = repeats === undefined ? [] : [0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, repeats & 255, repeats >> 8, 0];
  const frame = [0x21, 0xf9, 4, 0, 50, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 0x01, 0];
  return Buffer.from([
    ...Buffer.from('GIF89a'),
    1,
    0,
    1,
    0,
    0x80,
    0,
    0,
    0,
    0,
    0,
    255,
    255,
    255,
    ...loop,
    ...Array(frames).fill(frame).flat(),
    0x3b,
  ]);
};

test.each([
  [gif(3), 1_500],
  [gif(3, 0), 'endless'],
  [gif(2, 4), 5_000],
  [gif(1, 0), 0],
  [gif(3, 0).subarray(0, 40), 0],
  [Buffer.from('GIF89a'), 0],
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 0],
  [readFileSync(__filename), 0],
])('picture %# moves for %s', (bytes, movement) => {
  expect(pictureMovement(bytes)).toBe(movement);
});
