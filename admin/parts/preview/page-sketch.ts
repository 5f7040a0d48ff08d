import type { PageDevice, PageScheme } from '../../../src/catalog/model/page-views.ts';
import type { Size } from '../../words/asset-words.ts';

/** What a screen shows of a page, in CSS pixels. */
export const PAGE_VIEWS: Readonly<Record<PageDevice, Size>> = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const COLOURS: Readonly<Record<PageScheme, { readonly page: string; readonly text: string; readonly head: string }>> = {
  light: { page: '#ffffff', text: '#e3e6ec', head: '#c9ced8' },
  dark: { page: '#14171d', text: '#2b313c', head: '#465063' },
};

/** From this width on an ad is above the text of a desktop page, and not beside it. */
const MIN_WIDE = 480;
const MARGIN = { desktop: 110, phone: 20 } as const;
const TOP = { wide: 96, beside: 190, phone: 250 } as const;

/** Where the sketch has the ad. */
export const sketchedPlace = (device: PageDevice, ad: Size) => {
  const { width } = PAGE_VIEWS[device];
  const middle = Math.max(0, (width - ad.width) / 2);
  if (device === 'phone') return { left: middle, top: TOP.phone, scale: 1 };
  return ad.width >= MIN_WIDE
    ? { left: middle, top: TOP.wide, scale: 1 }
    : { left: width - MARGIN.desktop - ad.width, top: TOP.beside, scale: 1 };
};

/** A page in outlines, with room for the ad, where there is no picture of the real one. */
export const pageSketch = (device: PageDevice, scheme: PageScheme, ad: Size): SVGElement => {
  const { width, height } = PAGE_VIEWS[device];
  const { page, text, head } = COLOURS[scheme];
  const svg = drawn('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
  const bar = (x: number, y: number, w: number, h: number, fill: string): void =>
    void svg.append(drawn('rect', { x, y, width: Math.max(0, w), height: h, rx: 4, fill }));
  bar(0, 0, width, height, page);
  const margin = MARGIN[device];
  const column = width - 2 * margin;
  bar(margin, 26, device === 'phone' ? 120 : 190, 26, head);
  for (let i = 0; device === 'desktop' && i < 4; i++) bar(width - margin - 90 * (i + 1), 32, 64, 14, text);
  bar(0, 72, width, 1, text);
  const place = sketchedPlace(device, ad);
  const [above, below] = [place.top - 24, place.top + ad.height + 24];
  const isBeside = device === 'desktop' && ad.width < MIN_WIDE;
  const isFree = (y: number): boolean => isBeside || y + 20 < above || y > below;
  const widthOfText = isBeside ? column - ad.width - 60 : column;
  const titleAt = isBeside ? 110 : device === 'phone' ? 96 : below;
  bar(margin, titleAt, widthOfText * 0.86, 30, head);
  bar(margin, titleAt + 44, widthOfText * 0.55, 30, head);
  for (let y = titleAt + 104, i = 0; y < height - 30; y += 26, i++)
    if (i % 7 !== 6 && isFree(y)) bar(margin, y, widthOfText * (i % 7 === 5 ? 0.6 : 0.9 + ((i * 3) % 5) * 0.02), 12, text);
  return svg;
};

const drawn = (name: string, attributes: Readonly<Record<string, string | number>>): SVGElement => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  return made;
};
