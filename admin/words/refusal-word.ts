import { t } from './texts.ts';

/** Why ads are not shown, in a word or two; other reasons have their names. */
const NAMES: Readonly<Record<string, string>> = {
  outranked: 'outranked',
  size_or_format: t`wrong size`,
  consent: t`no consent`,
  unsuitable: t`not what the auction takes`,
  below_floor: t`below the floor`,
  account_set_aside: t`counters set aside`,
  budget_spent: t`budget spent`,
  daily_cap: t`daily cap`,
  frequency_capped: t`frequency cap`,
  pacing: 'pacing',
  rate_limit: t`rate limit`,
  bidders_out_of_time: t`bidder too slow`,
  bidders_did_not_bid: t`no bid`,
  duplicate_in_page: t`on the page already`,
};

export const refusalWord = (reason: string): string => NAMES[reason] ?? reason.replaceAll('_', ' ');
