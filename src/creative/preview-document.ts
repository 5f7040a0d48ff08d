import { isVideo, type Creative, type CreativeContent } from '../catalog/model/entities.ts';
import { composeMarkup, type Slot } from './compose-markup.ts';
import { playerMarkup } from './player-markup.ts';
import { sampleNative } from './sample-native.ts';

/** The document around an ad, as the browser SDK makes it: no margin, links open a tab. */
export const documentOf = (markup: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"></head><body marginwidth="0" marginheight="0">${markup}</body></html>`;

/**
 * A creative at a size as a page shows it, or a player, in a document for a sandboxed frame: a native one in a sample template.
 * undefined: what plays is known when the tag of another server is asked, or no browser plays its files.
 */
export const previewDocument = (
  { content, clickUrl }: { readonly content: CreativeContent; readonly clickUrl: Creative['clickUrl'] },
  slot: Slot,
): string | undefined => {
  if (isVideo(content)) {
    const { format, video } = content;
    const player = video.tag === null ? playerMarkup({ ...video, isVideo: format === 'video' }) : undefined;
    return player && documentOf(player);
  }
  return documentOf(content.format === 'native' ? sampleNative(content.assets) : composeMarkup({ content, clickUrl }, slot));
};
