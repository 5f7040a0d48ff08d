import type { Played } from '../../../src/creative/player-markup.ts';

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
