/** The containers that players of a page play. */
export type MediaKind = 'mp4' | 'webm' | 'mp3' | 'ogg';

/** Pictures have this container, too. */
const PICTURE_BRANDS = /^(?:avif|avis|mif1|msf1|heic|heix|hevc|hevx)/;

/** By the first bytes, whatever a client says; undefined: neither a video nor a sound. */
export const mediaKindOf = (bytes: Buffer): MediaKind | undefined => {
  const head = bytes.toString('latin1', 0, 12);
  if (head.slice(4, 8) === 'ftyp') return PICTURE_BRANDS.test(head.slice(8)) ? undefined : 'mp4';
  if (head.startsWith('\x1a\x45\xdf\xa3')) return 'webm';
  if (head.startsWith('OggS')) return 'ogg';
  // A frame of MPEG layer III, or the tag before the first one.
  return head.startsWith('ID3') || /^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xfb]/.test(head) ? 'mp3' : undefined;
};
