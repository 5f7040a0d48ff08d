import type { CreativeFormat } from '../../catalog/model/choices.ts';

/** The kind of bid that is requested: markup or a native object. */
export type BidFormat = 'html' | 'native';

/** The bid format that fills a creative row: html and banner rows both take markup. */
export const bidFormatOf = (format: CreativeFormat): BidFormat => {
  switch (format) {
    case 'html':
    case 'banner':
      return 'html';
    case 'native':
      return 'native';
  }
};
