import type { CreativeFormat } from '../../catalog/model/choices.ts';

/** The kind of bid that is requested: markup, a native object, or VAST. */
export type BidFormat = 'html' | 'native' | 'video' | 'audio';

/** Whether a player plays it: its markup is VAST. */
export const isPlayed = (format: BidFormat): boolean => format === 'video' || format === 'audio';

/** The bid format that fills a creative row: html and banner rows both take markup. */
export const bidFormatOf = (format: CreativeFormat): BidFormat => {
  switch (format) {
    case 'html':
    case 'banner':
      return 'html';
    case 'native':
      return 'native';
    case 'video':
    case 'audio':
      return format;
  }
};
