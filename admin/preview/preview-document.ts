import { parseCreativeContent } from '../../src/catalog/checks/parse-content.ts';
import { CREATIVE_FORMATS } from '../../src/catalog/model/entities.ts';
import { composeMarkup } from '../../src/creative/compose-markup.ts';
import { sampleNative } from './sample-native.ts';

export interface Slot {
  readonly width: number;
  readonly height: number;
}

/** The document around a creative, as the browser SDK makes it: no margin, links open a tab. */
export const documentOf = (markup: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"></head><body marginwidth="0" marginheight="0">${markup}</body></html>`;

export type Preview = { readonly ok: true; readonly markup: string } | { readonly ok: false; readonly reason: string };

/** A creative as it would be served into a slot, made by the service's own code; a native one in a template of ours, since the page has its own. */
export const previewCreative = (formatText: string, text: string, clickUrl: string | null, slot: Slot): Preview => {
  const format = CREATIVE_FORMATS.find((each) => each === formatText);
  if (!format || text.trim() === '') return { ok: false, reason: 'Nothing to show yet.' };
  const parsed = parseCreativeContent(format, text);
  if ('fault' in parsed) return { ok: false, reason: `${parsed.fault.pointer.slice(1)} ${parsed.fault.detail}`.trim() };
  const { content } = parsed;
  if (content.format === 'native') return { ok: true, markup: documentOf(sampleNative(content.assets)) };
  return { ok: true, markup: documentOf(composeMarkup({ content, clickUrl }, slot)) };
};

/** An answer's `adm` as a page would show it. */
export const previewServed = (adm: string): string => {
  const parsed = parseCreativeContent('native', adm);
  return 'content' in parsed && parsed.content.format === 'native' ? documentOf(sampleNative(parsed.content.assets)) : documentOf(adm);
};

/**
 * The same document as a screen of this density would show it: the browser chooses from a srcset by the width that `sizes` names, so naming
 * twice the width makes it choose as it would on a screen with twice the pixels.
 */
export const atDensity = (markup: string, density: number, { width }: Slot): string =>
  density === 1 ? markup : markup.replace(/ sizes="\(max-width: [^"]*"/, ` sizes="${width * density}px"`);
