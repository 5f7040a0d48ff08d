import { parseCreativeContent } from '../../../src/catalog/checks/parse-content.ts';
import { CREATIVE_FORMATS } from '../../../src/catalog/model/choices.ts';
import { isVideo } from '../../../src/catalog/model/entities.ts';
import { composeMarkup, type Slot } from '../../../src/creative/compose-markup.ts';
import { escapeHtml } from '../../../src/creative/escape-html.ts';
import { playerMarkup } from '../../../src/creative/player-markup.ts';
import { documentOf, previewDocument } from '../../../src/creative/preview-document.ts';
import { sampleNative } from '../../../src/creative/sample-native.ts';
import { t } from '../../words/texts.ts';
import { playedBy } from './played-by.ts';

export type Preview = { readonly ok: true; readonly markup: string } | { readonly ok: false; readonly reason: string };

/** A creative composed by the service's own code. */
export const previewCreative = (formatText: string, text: string, clickUrl: string | null, slot: Slot): Preview => {
  const parsed = parsedContent(formatText, text);
  if (!parsed) return { ok: false, reason: 'Nothing to show yet.' };
  if ('fault' in parsed) return { ok: false, reason: `${parsed.fault.pointer.slice(1)} ${parsed.fault.detail}`.trim() };
  const { content } = parsed;
  const markup = previewDocument({ content, clickUrl }, slot);
  if (markup !== undefined) return { ok: true, markup };
  return { ok: false, reason: isVideo(content) && content.video.tag !== null ? OTHER_SERVER : UNPLAYABLE };
};
const OTHER_SERVER = t`Another server answers it: what plays is known when its tag is asked.`;
const UNPLAYABLE = t`Browsers play manifests with a library only: add a file to see it here.`;

/** A creative as an answer to the page of its placement has it; undefined: it cannot be shown yet, or a player plays it. */
export const servedMarkup = (formatText: string, text: string, clickUrl: string | null, slot: Slot): string | undefined => {
  const parsed = parsedContent(formatText, text);
  if (!parsed || 'fault' in parsed || isVideo(parsed.content)) return undefined;
  return composeMarkup({ content: parsed.content, clickUrl }, slot);
};

/** undefined: there is none yet. */
const parsedContent = (formatText: string, text: string) => {
  const format = CREATIVE_FORMATS.find((each) => each === formatText);
  return format && text.trim() !== '' ? parseCreativeContent(format, text) : undefined;
};

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
