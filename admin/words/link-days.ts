import { t } from './texts.ts';

/** How long a link can last, with words. */
export const LINK_DAYS = [
  ['7', t`for a week`],
  ['30', t`for 30 days`],
  ['90', t`for 90 days`],
  ['365', t`for a year`],
] as const;
