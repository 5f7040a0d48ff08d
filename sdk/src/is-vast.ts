import type { Bid } from './contract.ts';

/** Whether an ad is for a player. */
export const isVast = ({ adm }: Bid): boolean => /^\s*<(\?xml|VAST)\b/i.test(adm);
