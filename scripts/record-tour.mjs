/*
 * Records docs/images/tour.gif from a running service with demonstration data (npm start -- --demo=large): an ad on a page, its
 * line item, what is still free and who has the rest, and why the ad was chosen. Usage: node scripts/record-tour.mjs http://localhost:8787
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { encodeGif } from './encode-gif.mjs';

const SIZE = { width: 960, height: 600 };
const OUTPUT = fileURLToPath(new URL('../docs/images/tour.gif', import.meta.url));
const [service = 'http://localhost:8787'] = process.argv.slice(2);

/** Of the large demonstration, whose bookings are the same on every run. */
const LINE_ITEM = 26;

/** Pictures a second while something moves, and how many a movement takes. */
const MOVING_MS = 60;
const POINTER_STEPS = 8;
const SCROLL_STEPS = 5;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' });
/** @type {{ png: string, delayMs: number, pointer: { x: number, y: number } }[]} */
const frames = [];
let pointer = { x: 700, y: 420 };

const show = async (delayMs) => {
  frames.push({ png: (await page.screenshot()).toString('base64'), delayMs, pointer });
};

/** Slow at both ends. */
const eased = (step, steps) => (1 - Math.cos((Math.PI * step) / steps)) / 2;

const open = async (path, holdMs) => {
  await page.goto('about:blank');
  await page.goto(service + path, { waitUntil: 'networkidle' });
  await page.waitForTimeout(500);
  await page.mouse.move(pointer.x, pointer.y);
  await show(holdMs);
};

const pointAt = async (locator) => {
  const from = pointer;
  const { x, y, width, height } = await locator.boundingBox();
  const to = { x: x + width / 2, y: y + height / 2 };
  for (let step = 1; step <= POINTER_STEPS; step++) {
    const part = eased(step, POINTER_STEPS);
    pointer = { x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) };
    await page.mouse.move(pointer.x, pointer.y);
    await show(MOVING_MS);
  }
};

const scrollTo = async (top, holdMs) => {
  const from = await page.evaluate('scrollY');
  for (let step = 1; step <= SCROLL_STEPS; step++) {
    await page.evaluate(`scrollTo(0, ${Math.round(from + eased(step, SCROLL_STEPS) * (top - from))})`);
    await show(MOVING_MS);
  }
  frames.at(-1).delayMs = holdMs;
};

await open('/static/demo/article.html', 1_500);
await pointAt(page.locator('iframe').first());
frames.at(-1).delayMs = 1_500;

await open('/static/admin.html#/overview', 1_800);
// A line item with a goal, and how it will end.
await page.goto('about:blank');
await page.goto(`${service}/static/admin.html#/line_items/${LINE_ITEM}`);
await page.locator('.forecast-head').waitFor({ timeout: 120_000 });
await page.waitForTimeout(500);
await show(1_800);
await scrollTo(420, 2_000);

// The first answer waits for a replay of all bookings.
await page.goto(`${service}/static/admin.html#/availability`);
const sold = page.locator('.availability tbody tr').nth(1).locator('.cell').first();
await sold.waitFor({ timeout: 120_000 });
await open('/static/admin.html#/availability', 1_800);
await pointAt(sold);
await sold.click();
await page.locator('.cell-card a').first().waitFor();
await page.waitForTimeout(300);
await show(2_200);

await open('/static/admin.html#/test', 900);
const button = page.locator('main form button[type=submit], main form button:not([type])').first();
await button.scrollIntoViewIfNeeded();
await show(300);
await pointAt(button);
await button.click();
await page.getByText('The decision', { exact: true }).waitFor();
await page.waitForTimeout(300);
await show(900);
await scrollTo(await page.evaluate('Math.min(scrollY + 520, document.body.scrollHeight - innerHeight)'), 1_600);
await scrollTo(await page.evaluate('document.body.scrollHeight - innerHeight'), 2_500);

const gif = await encodeGif(await browser.newPage(), frames, SIZE);
writeFileSync(OUTPUT, gif);
await browser.close();
console.log(`${OUTPUT}: ${frames.length} frames, ${Math.round(gif.length / 1024)} kB`);
