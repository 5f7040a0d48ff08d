import { parseCreativeContent } from '../../../src/catalog/checks/parse-content.ts';
import { CREATIVE_FORMATS } from '../../../src/catalog/model/choices.ts';
import { isVideo, type VideoContent } from '../../../src/catalog/model/entities.ts';
import { composeMarkup } from '../../../src/creative/compose-markup.ts';
import { escapeHtml } from '../../../src/creative/escape-html.ts';
import { t } from '../../words/texts.ts';
import { playedBy, playerMarkup } from './player-markup.ts';
import { sampleNative } from '../../../src/creative/sample-native.ts';

export interface Slot {
  readonly width: number;
  readonly height: number;
}

/** The document around a creative, as the browser SDK makes it: no margin, links open a tab. */
const documentOf = (markup: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"></head><body marginwidth="0" marginheight="0">${markup}</body></html>`;

export type Preview = { readonly ok: true; readonly markup: string } | { readonly ok: false; readonly reason: string };

/** A creative composed by the service's own code; a native one in a sample template. */
export const previewCreative = (formatText: string, text: string, clickUrl: string | null, slot: Slot): Preview => {
  const format = CREATIVE_FORMATS.find((each) => each === formatText);
  if (!format || text.trim() === '') return { ok: false, reason: 'Nothing to show yet.' };
  const parsed = parseCreativeContent(format, text);
  if ('fault' in parsed) return { ok: false, reason: `${parsed.fault.pointer.slice(1)} ${parsed.fault.detail}`.trim() };
  const { content } = parsed;
  if (isVideo(content)) return previewPlayed(content);
  const markup = content.format === 'native' ? sampleNative(content.assets) : composeMarkup({ content, clickUrl }, slot);
  return { ok: true, markup: documentOf(markup) };
};

const previewPlayed = ({ format, video }: VideoContent): Preview => {
  if (video.tag !== null) return { ok: false, reason: t`Another server answers it: what plays is known when its tag is asked.` };
  const markup = playerMarkup({ ...video, isVideo: format === 'video' });
  return markup === undefined ? { ok: false, reason: UNPLAYABLE } : { ok: true, markup: documentOf(markup) };
};
const UNPLAYABLE = t`Browsers play manifests with a library only: add a file to see it here.`;

/** The `adm` of an answer as a page would show it, or play it. */
export const previewServed = (adm: string): string => {
  const played = playedBy(adm);
  if (played) return documentOf(playerMarkup(played) ?? escapeHtml(adm));
  const parsed = parseCreativeContent('native', adm);
  return 'content' in parsed && parsed.content.format === 'native' ? documentOf(sampleNative(parsed.content.assets)) : documentOf(adm);
};

/**
 * The document as a screen of this pixel density shows it. The browser chooses from a srcset by the
 * width in `sizes`, so twice the width selects the picture of a 2× screen.
 */
export const atDensity = (markup: string, density: number, { width }: Slot): string =>
  density === 1 ? markup : markup.replace(/ sizes="\(max-width: [^"]*"/, ` sizes="${width * density}px"`);
