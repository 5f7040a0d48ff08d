/** Media types by the ends of names of files and addresses, in lower case. */
export const TYPES_OF_ENDS = {
  ...{ html: 'text/html', htm: 'text/html', css: 'text/css', js: 'text/javascript', mjs: 'text/javascript' },
  ...{ json: 'application/json', xml: 'application/xml', txt: 'text/plain' },
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif' },
  ...{ svg: 'image/svg+xml', ico: 'image/x-icon' },
  ...{ woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf', otf: 'font/otf' },
  ...{ mp4: 'video/mp4', m4v: 'video/mp4', webm: 'video/webm', m3u8: 'application/x-mpegURL', mpd: 'application/dash+xml' },
  ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', weba: 'audio/webm' },
  ...{ vtt: 'text/vtt', srt: 'application/x-subrip', ttml: 'application/ttml+xml' },
} as const;
type End = keyof typeof TYPES_OF_ENDS;

/** The media type that the end of an address names; undefined: none that is known. */
export const typeOfEnd = (address: string): (typeof TYPES_OF_ENDS)[End] | undefined => {
  const [, end = ''] = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(address) ?? [];
  return Object.hasOwn(TYPES_OF_ENDS, end.toLowerCase()) ? TYPES_OF_ENDS[end.toLowerCase() as End] : undefined;
};
