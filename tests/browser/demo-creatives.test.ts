import demo from '../../src/embedded/demo-data.json';
import { eventually } from '../../testkit/until.ts';
import type { Booking } from './setup/start-ad-service.ts';
import { startPublisher, type Publisher } from './setup/start-publisher.ts';

interface DemoCreative {
  readonly placement_id: string;
  readonly format: Booking['format'];
  readonly content: string | object;
  readonly width?: number;
  readonly height?: number;
}

const CREATIVES = demo.campaigns.flatMap(({ line_items }) => line_items.flatMap(({ creatives }) => creatives as readonly DemoCreative[]));
const BOOKINGS = CREATIVES.map(({ format, content, placement_id, width, height }, index) => {
  const placement = demo.placements.find(({ id }) => id === placement_id)!;
  return {
    placement: `${index}-${placement_id}`,
    format,
    content: typeof content === 'string' ? content : JSON.stringify(content),
    size: [width ?? placement.width, height ?? placement.height] as const,
  };
});

let publisher: Publisher;
beforeAll(async () => {
  publisher = await startPublisher(BOOKINGS);
});

test('every demo creative has its images on a page of another origin, and shifts nothing', async () => {
  expect(BOOKINGS.length).toBeGreaterThan(10);
  const failed: string[] = [];
  const opened = await publisher.open({
    viewport: { width: 1280, height: 900 },
    init: `window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value }).observe({ type: 'layout-shift', buffered: true });`,
    html: BOOKINGS.map(
      ({ placement, format, size: [width, height] }) =>
        `<div data-adsdk-slot="${placement}" ${format === 'native' ? 'data-template="plain"' : ''} style="width:${width}px;height:${height}px;overflow:hidden"></div>`,
    ).join(''),
    head: `<script>window.AdSDK = { cmd: [(sdk) => { sdk.templates.plain = (assets, { escapeHTML }) =>
      '<img src="' + escapeHTML(typeof assets.image === 'string' ? assets.image : assets.image.url) + '"><p>' + escapeHTML(assets.title) + '</p>' }] }</script>`,
    prepare: async (page) => {
      page.on('response', (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`));
      page.on('requestfailed', (request) => failed.push(`${request.failure()?.errorText} ${request.url()}`));
    },
  });
  await eventually(async () =>
    expect(await opened.page.locator('[data-adsdk-slot]:not([data-adsdk-state="filled"])').evaluateAll((all) => all.length)).toBe(0),
  );
  await opened.page.waitForLoadState('networkidle');
  const widths = await Promise.all(
    opened.page.frames().map((frame) => frame.evaluate(() => [...document.images].map(({ src, naturalWidth }) => [src, naturalWidth > 0]))),
  );
  const images = widths.flat();
  expect(images.filter(([, shown]) => !shown)).toEqual([]);
  expect(new Set(images.map(([src]) => new URL(String(src)).origin))).toEqual(new Set([publisher.service.baseUrl]));
  // Creatives of html draw with styles; each of the others has an image.
  expect(images.length).toBeGreaterThanOrEqual(BOOKINGS.filter(({ format }) => format !== 'html').length);
  expect([failed, opened.faults]).toEqual([[], []]);
  expect(await opened.page.evaluate(() => (window as unknown as { shift: number }).shift)).toBe(0);
});
