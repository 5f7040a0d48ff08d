import { escapeHtml } from '../../creative/escape-html.ts';
import { isSafeUrl } from '../../catalog/model/is-safe-url.ts';
import { pathOfFile, type Declared, type ImportedFile, type Noted, type Notes } from '../imported.ts';
import { readBannerFile, type BannerFiles } from './read-banner-file.ts';
import type { BannerRow } from './revive-rows.ts';

const MAX_NAME = 256;
const MAX_CONTENT = 256 * 1024;

const isWebAddress = (text: string): boolean => /^https?:/i.test(text) && isSafeUrl(text);

/** Running. */
const ACTIVE = 0;

export const notedBanner = ({ bannerid, description }: BannerRow): Noted => ({ kind: 'banner', id: String(bannerid), name: description });

/** A banner as a creative, without its placements; undefined: it was left out, as the notes say. */
export const toCreative = async (
  banner: BannerRow,
  files: BannerFiles,
  notes: Notes,
  keep: (file: ImportedFile) => void,
): Promise<Declared | undefined> => {
  const noted = notedBanner(banner);
  const shown = await contentOf(banner, files, keep, (text) => notes.add('changed', noted, text));
  if ('cannot' in shown) {
    notes.add('left_out', noted, shown.cannot);
    return undefined;
  }
  if (shown.content.length > MAX_CONTENT) {
    notes.add('left_out', noted, `its content has ${shown.content.length} characters; at most ${MAX_CONTENT} are accepted`);
    return undefined;
  }
  const url = banner.url.trim();
  const isLink = isWebAddress(url);
  if (url !== '' && !isLink)
    notes.add('changed', noted, `its destination ${url.slice(0, 60)} is no http or https address, and is left out`);
  if (banner.weight < 1) notes.add('changed', noted, 'has weight 0: it is a draft');
  return {
    name: banner.description.slice(0, MAX_NAME),
    ...shown,
    ...(isLink && { click_url: url }),
    ...(banner.weight > 1 && { weight: banner.weight }),
    ...((banner.status !== ACTIVE || banner.weight < 1) && { status: 'draft' }),
  };
};

type Content = { readonly format: 'html' | 'banner'; readonly content: string } | { readonly cannot: string };

const contentOf = async (
  banner: BannerRow,
  files: BannerFiles,
  keep: (file: ImportedFile) => void,
  differs: (text: string) => void,
): Promise<Content> => {
  const { storagetype, contenttype, alt, imageurl, htmltemplate, bannertext, prepend, append, ext_bannertype: kind } = banner;
  const around = `${prepend ?? ''}${append ?? ''}`.trim() !== '';
  const image = (address: string): Content => {
    if (around) differs('the code before or after it (prepend, append) is left out');
    return { format: 'banner', content: JSON.stringify({ image: address, ...(alt && { alt }) }) };
  };
  if (['swf', 'dcr', 'rpm', 'mov'].includes(contenttype) && storagetype !== 'html' && storagetype !== 'txt')
    return { cannot: `is of the kind ${contenttype}, which browsers no longer show` };
  switch (storagetype) {
    case 'sql':
    case 'web': {
      const file = await readBannerFile(files, banner);
      if ('cannot' in file) return file;
      keep(file);
      return image(pathOfFile(file.sha256));
    }
    case 'url':
      return isWebAddress(imageurl) ? image(imageurl) : { cannot: `its image "${imageurl.slice(0, 60)}" is no http or https address` };
    case 'txt':
      return bannertext.trim() === '' ? { cannot: 'has no text' } : { format: 'html', content: textAd(bannertext, banner.url !== '') };
    case 'html': {
      if (/vast|video/i.test(kind ?? '')) return { cannot: `is of the kind ${kind}: videos are not imported` };
      const markup = withMacros(`${prepend ?? ''}${htmltemplate}${append ?? ''}`, banner, differs);
      return markup.trim() === '' ? { cannot: 'has no content' } : { format: 'html', content: markup };
    }
    default:
      return { cannot: `is stored as "${storagetype}", which is not known` };
  }
};

const textAd = (text: string, isLink: boolean): string =>
  isLink ? `<a href="\${CLICK_URL}" target="_blank" rel="noopener sponsored">${escapeHtml(text)}</a>` : `<span>${escapeHtml(text)}</span>`;

/** Macros of Revive as those of this service. What a macro names of Revive itself is a value. */
const withMacros = (markup: string, banner: BannerRow, differs: (text: string) => void): string => {
  const values: Readonly<Record<string, string>> = {
    clickurl: '${CLICK_URL}',
    clickurl_html: '${CLICK_URL}',
    clickurl_enc: '${CLICK_URL_ENC}',
    random: '${CACHEBUSTER}',
    timestamp: '${CACHEBUSTER}',
    target: '_blank',
    rel: 'noopener sponsored',
    bannerid: String(banner.bannerid),
    campaignid: String(banner.campaignid),
    width: String(banner.width),
    height: String(banner.height),
  };
  const left = new Set<string>();
  const filled = markup
    // A destination that follows the macro is another link, whose clicks the frame counts.
    .replaceAll(/\{clickurl(?:_html)?\}(?=https?:)/g, '')
    .replaceAll(/\{clickurl_enc\}(?=https?%3A)/gi, '')
    .replaceAll(/\{([a-z_]+)\}/g, (macro, name: string) => {
      const value = values[name];
      if (value === undefined && KNOWN_LEFT.includes(name)) left.add(macro);
      return value ?? macro;
    });
  if (left.size > 0) differs(`its macros ${[...left].join(', ')} have no equal and stay as they are`);
  return filled;
};

const KNOWN_LEFT = [
  'logurl',
  'logurl_enc',
  'logurl_html',
  'url_prefix',
  'img_url_prefix',
  'zoneid',
  'source',
  'pageurl',
  'websiteid',
  'advertiserid',
  'referer',
];
