import type { CreativeFormat } from '../../catalog/model/choices.ts';

/** The kind of bid that is requested: markup or a native object. */
export type BidFormat = 'html' | 'native';

/** The bid format that fills a creative row: html and banner rows both take markup. undefined: bidders are not asked for it. */
export const bidFormatOf = (format: CreativeFormat): BidFormat | undefined => {
  switch (format) {
    case 'html':
    case 'banner':
      return 'html';
    case 'native':
      return 'native';
    case 'video':
    case 'audio':
      return undefined;
  }
};
