import { createHash } from 'node:crypto';
import type { Browser, Frame, Page } from 'playwright-core';
import { ADS_HOST, NEWS_HOST, SHOP_HOST, type Booked, type PlannedPage } from './plan-site.ts';
import { askHost } from './serve-web.ts';

/** What visitors say of their browser. */
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
/** A click sooner than this is one that no person makes. */
const LOOK_MS = 1_200;
const CLICK_TIMEOUT_MS = 5_000;

/** A page as the publisher has it: the tags that Revive made, with what the publisher adds to them. */
export const htmlOf = ({ zones, tag, variables }: PlannedPage, { tags }: Booked): string => {
  const added = Object.entries(variables);
  const places = zones.map((zone) => {
    const made = (tags[zone]?.[tag] ?? '')
      .replace('<ins ', `<ins ${added.map(([name, value]) => `data-revive-${name}="${value}" `).join('')}`)
      .replaceAll(/\?zoneid=\d+/g, (query) => query + added.map(([name, value]) => `&amp;${name}=${value}`).join(''))
      .replaceAll('INSERT_RANDOM_NUMBER_HERE', '4711');
    return `<div data-place="${zone}">${made}</div>`;
  });
  return `<!doctype html><html lang="en"><head><title>The Gazette</title></head><body>${places.join('\n')}</body></html>`;
};

/** How often visitors saw a banner, by `path zone` and banner. */
export type Seen = Map<string, Map<string, number>>;

export interface Visited {
  readonly seen: Seen;
  /** The most often that one visitor saw a banner, by `path zone` and banner. */
  readonly most: Seen;
  readonly loads: number;
  /** Errors of scripts, answers of the host of the tags that are errors, pictures that are broken, and clicks that lead nowhere. */
  readonly faults: readonly string[];
  /** Clicks by hand, in the browser. */
  readonly clicks: number;
}

export interface VisitOptions {
  readonly browser: Browser;
  readonly pages: readonly PlannedPage[];
  readonly visitors: number;
  /** Whether the first view of the first visitor clicks every ad. */
  readonly hasClicks: boolean;
  /** Of a page, by each visitor. */
  readonly views: number;
  readonly tagPort: number;
  /** Banners by the digest of their picture. */
  readonly pictures: ReadonlyMap<string, string>;
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const addTo = (seen: Seen, place: string, banner: string, count: number): void => {
  const of = seen.get(place) ?? new Map<string, number>();
  of.set(banner, (of.get(banner) ?? 0) + count);
  seen.set(place, of);
};

// Scripts of the page, as text: this project has no types of the DOM.
const LINKS = `[...document.querySelectorAll('a[href]')].map((link) => ({ place: link.closest('[data-place]')?.dataset.place, href: link.href }))`;
const BROKEN = `[...document.images].filter((image) => image.complete && image.naturalWidth === 0 && !image.src.includes('/lg.php')).map(({ src }) => src)`;
/** An element of the page. */
interface Placed {
  closest(selector: string): { readonly dataset: Readonly<Record<string, string>> } | null;
}

interface Link {
  readonly place: string;
  readonly href: string;
  readonly frame: Frame;
  /** Among the links of the frame. */
  readonly index: number;
}

/** The links of ads, in whatever frame they are, with the place of the page that they are in. */
const linksOf = async (page: Page): Promise<readonly Link[]> => {
  const links: Link[] = [];
  for (const frame of page.frames()) {
    const found = await frame.evaluate<readonly { readonly place?: string; readonly href: string }[]>(LINKS);
    if (found.length === 0) continue;
    const within = await placeOf(frame);
    for (const [index, { place = within, href }] of found.entries()) if (place !== undefined) links.push({ place, href, frame, index });
  }
  return links;
};

const placeOf = async (frame: Frame): Promise<string | undefined> => {
  for (let of: Frame | null = frame; of?.parentFrame(); of = of.parentFrame()) {
    const element = await of.frameElement();
    const place = await element.evaluate((node) => (node as unknown as Placed).closest('[data-place]')?.dataset['place']);
    if (place !== undefined) return place;
  }
  return undefined;
};

const brokenIn = async (page: Page): Promise<readonly string[]> => {
  const broken = await Promise.all(page.frames().map((frame) => frame.evaluate<readonly string[]>(BROKEN)));
  return broken.flat().map((src) => `a broken picture: ${src}`);
};

/** Where a click leads, as the path of an advertiser's page. */
export const destinationOf = async (href: string, tagPort: number): Promise<string> => {
  const { host } = new URL(href);
  const to = host === ADS_HOST ? ((await askHost(tagPort, href, { 'user-agent': BROWSER })).location ?? href) : href;
  const url = new URL(to);
  return url.host === SHOP_HOST ? url.pathname.slice(1) : to;
};

/** Shows each page to visitors, several times to each, and notes the banners by where their clicks lead. */
export const visitPages = async ({ browser, pages, visitors, views, hasClicks, tagPort, pictures }: VisitOptions): Promise<Visited> => {
  const [seen, most]: [Seen, Seen] = [new Map(), new Map()];
  const faults: string[] = [];
  let [loads, clicks] = [0, 0];

  const visit = async (planned: PlannedPage, visitor: number): Promise<void> => {
    const { path, zones, tag, locale, referrer } = planned;
    const context = await browser.newContext({ locale, ignoreHTTPSErrors: true, viewport: { width: 800, height: 6_000 } });
    const own: Seen = new Map();
    try {
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(`${path}: ${error.message}`));
      const shown: Promise<string | undefined>[] = [];
      page.on('response', (response) => {
        if (new URL(response.url()).host === ADS_HOST && response.status() >= 400)
          faults.push(`${path}: ${response.status()} of ${response.url()}`);
        if (tag === 'image' && response.request().resourceType() === 'image' && response.status() === 200)
          shown.push(
            response.body().then(
              (body) => pictures.get(digestOf(body)),
              () => undefined,
            ),
          );
      });
      for (let view = 0; view < views; view++) {
        loads++;
        await page.goto(`https://${NEWS_HOST}${path}`, { waitUntil: 'networkidle', ...(referrer !== undefined && { referer: referrer }) });
        faults.push(...(await brokenIn(page)).map((text) => `${path}: ${text}`));
        if (tag === 'image') {
          for (const name of await Promise.all(shown.splice(0))) if (name !== undefined) addTo(own, `${path} ${zones[0]}`, name, 1);
          continue;
        }
        const links = await linksOf(page);
        for (const { place, href } of links) addTo(own, `${path} ${place}`, await destinationOf(href, tagPort), 1);
        if (hasClicks && visitor === 0 && view === 0) {
          await page.waitForTimeout(LOOK_MS);
          for (const link of links) {
            const fault = await click(page, link, tagPort);
            if (fault === undefined) clicks++;
            else faults.push(`${path} ${link.place}: ${fault}`);
          }
        }
      }
    } finally {
      await context.close();
    }
    for (const [place, banners] of own)
      for (const [banner, count] of banners) {
        addTo(seen, place, banner, count);
        const before = most.get(place)?.get(banner) ?? 0;
        if (count > before) addTo(most, place, banner, count - before);
      }
  };

  for (const page of pages) for (let visitor = 0; visitor < visitors; visitor++) await visit(page, visitor);
  return { seen, most, loads, faults, clicks };
};

/** Clicks as a person, and closes what opens. @returns what is wrong */
const click = async (page: Page, { href, frame, index }: Link, tagPort: number): Promise<string | undefined> => {
  const expected = await destinationOf(href, tagPort);
  const opened = page.context().waitForEvent('page', { timeout: CLICK_TIMEOUT_MS });
  try {
    await Promise.all([opened, frame.locator('a[href]').nth(index).click({ timeout: CLICK_TIMEOUT_MS })]);
    const landed = await opened;
    await landed.waitForURL((url) => url.host === SHOP_HOST, { timeout: CLICK_TIMEOUT_MS });
    const path = new URL(landed.url()).pathname.slice(1);
    await landed.close();
    return path === expected ? undefined : `a click led to ${path}, and not to ${expected}`;
  } catch (fault) {
    void opened.catch(() => undefined);
    return `a click on ${href} led nowhere: ${(fault as Error).message.split('\n')[0]}`;
  }
};

/** Both visits as one. */
export const joinVisits = (one: Visited, other: Visited): Visited => {
  const [seen, most]: [Seen, Seen] = [new Map(), new Map()];
  for (const visited of [one, other]) {
    for (const [place, of] of visited.seen) for (const [banner, count] of of) addTo(seen, place, banner, count);
    for (const [place, of] of visited.most)
      for (const [banner, count] of of) addTo(most, place, banner, Math.max(0, count - (most.get(place)?.get(banner) ?? 0)));
  }
  return { seen, most, loads: one.loads + other.loads, faults: [...one.faults, ...other.faults], clicks: one.clicks + other.clicks };
};
