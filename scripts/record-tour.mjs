/*
 * Records docs/images/tour.gif from a running service with demonstration data: an ad on a page, why
 * it was chosen, and its delivery. Usage: node scripts/record-tour.mjs http://localhost:8787
 */
/* global window, document, Blob, OffscreenCanvas, atob, btoa, createImageBitmap */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const VIEWPORT = { width: 1200, height: 750 };
const SIZE = { width: 960, height: 600 };
const OUTPUT = fileURLToPath(new URL('../docs/images/tour.gif', import.meta.url));
const [service = 'http://localhost:8787'] = process.argv.slice(2);

/** The scenes: 15 s in all. */
const SCENES = [
  { path: '/static/demo/article.html', holdMs: 3500 },
  { path: '/static/admin.html#/overview', holdMs: 2500 },
  { path: '/static/admin.html#/line_items/1', holdMs: 4000 },
  { path: '/static/admin.html#/test', holdMs: 5000, act: test },
];

/** Tests an ad as a visitor, and shows the trace. */
async function test(page) {
  await page.locator('main form button[type=submit], main form button:not([type])').first().click();
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: VIEWPORT });
const frames = [];
for (const { path, holdMs, act } of SCENES) {
  await page.goto('about:blank');
  await page.goto(service + path, { waitUntil: 'networkidle' });
  await act?.(page);
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  frames.push({ png: (await page.screenshot()).toString('base64'), holdMs });
}

// Encoded in the browser, which decodes the screenshots anyway.
const encoder = readFileSync(createRequire(import.meta.url).resolve('gifenc/dist/gifenc.esm.js'), 'utf8');
const canvas = await browser.newPage();
const gif = await canvas.evaluate(
  async ({ scenes, module, size: { width, height } }) => {
    const { GIFEncoder, quantize, applyPalette } = await import(URL.createObjectURL(new Blob([module], { type: 'text/javascript' })));
    const encoded = GIFEncoder();
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    for (const { png, holdMs } of scenes) {
      const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
      context.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      const palette = quantize(data, 256);
      encoded.writeFrame(applyPalette(data, palette), width, height, { palette, delay: holdMs });
    }
    encoded.finish();
    return btoa(Array.from(encoded.bytes(), (byte) => String.fromCharCode(byte)).join(''));
  },
  { scenes: frames, module: encoder, size: SIZE },
);
writeFileSync(OUTPUT, Buffer.from(gif, 'base64'));
await browser.close();
console.log(`${OUTPUT}: ${frames.length} scenes, ${Math.round((gif.length * 3) / 4 / 1024)} kB`);
