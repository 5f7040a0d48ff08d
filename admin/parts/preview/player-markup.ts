import { isManifest, type CaptionFile, type MediaFile } from '../../../src/catalog/model/video-ad.ts';
import { escapeHtml } from '../../../src/creative/escape-html.ts';

/** What a player needs of an ad. */
export interface Played {
  readonly isVideo: boolean;
  readonly media: readonly Pick<MediaFile, 'url' | 'type'>[];
  readonly captions: readonly Pick<CaptionFile, 'url' | 'language'>[];
  readonly poster: string | null;
}

/**
 * The browser's player with the files of an ad; it reports nothing. undefined: no file is one that browsers play without
 * a library.
 */
export const playerMarkup = ({ isVideo, media, captions, poster }: Played): string | undefined => {
  const files = media.filter(({ type }) => !isManifest(type));
  if (files.length === 0) return undefined;
  const attribute = (name: string, value: string | null): string => (value === null ? '' : ` ${name}="${escapeHtml(value)}"`);
  const sources = files.map(({ url, type }) => `<source${attribute('src', url)}${attribute('type', type)}>`);
  const tracks = captions.map(
    ({ url, language }, i) =>
      `<track kind="captions"${i === 0 ? ' default' : ''}${attribute('src', url)}${attribute('srclang', language)}${attribute('label', language ?? 'captions')}>`,
  );
  // Captions are read with CORS, and then so are the files beside them.
  const cors = tracks.length > 0 ? ' crossorigin="anonymous"' : '';
  const tag = isVideo ? 'video' : 'audio';
  return (
    `<style>html,body{height:100%;margin:0;background:#000;display:grid;place-items:center}video{width:100%;height:100%}audio{width:calc(100% - 16px)}</style>` +
    `<${tag} controls playsinline preload="metadata"${cors}${attribute('poster', poster)}>${sources.join('')}${tracks.join('')}</${tag}>`
  );
};

/** What a VAST document has a player play; undefined: it is none. The page's policy keeps the browser's parsers of markup from texts. */
export const playedBy = (vast: string): Played | undefined => {
  if (!/^\s*(<\?xml[^>]*>\s*)?<VAST/.test(vast)) return undefined;
  const media = elementsIn(vast, 'MediaFile').map(({ text, attribute }) => ({ url: text, type: attribute('type') ?? '' }));
  const captions = elementsIn(vast, 'ClosedCaptionFile').map(({ text, attribute }) => ({
    url: text,
    language: attribute('language') ?? null,
  }));
  const isVideo = media.length === 0 || media.some(({ type }) => !type.startsWith('audio/'));
  return { isVideo, media, captions, poster: null };
};

interface Found {
  readonly text: string;
  readonly attribute: (name: string) => string | undefined;
}

const elementsIn = (xml: string, name: string): readonly Found[] =>
  [...xml.matchAll(new RegExp(`<${name}(\\s[^>]*)?>([^<]*|\\s*<!\\[CDATA\\[[^\\]]*\\]\\]>\\s*)</${name}>`, 'g'))].map(
    ([, attributes = '', content = '']) => ({
      text: unescaped(content.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')).trim(),
      attribute: (of) => {
        const [, value] = new RegExp(`\\s${of}="([^"]*)"`).exec(attributes) ?? [];
        return value === undefined ? undefined : unescaped(value);
      },
    }),
  );

const unescaped = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|apos|amp|#39);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' })[name] ?? '',
  );
