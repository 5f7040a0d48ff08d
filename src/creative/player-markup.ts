import { isManifest, type CaptionFile, type MediaFile } from '../catalog/model/video-ad.ts';
import { escapeHtml } from './escape-html.ts';

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
