import { truncateAddress } from '../network-of.ts';
import type { Verdict } from './consent.ts';

/** What a bidder receives only where sharing is allowed. */
export interface Shareable {
  /** '': none. */
  readonly userHash: string;
  readonly ip: string | null;
  readonly pageUrl: string | null;
}

/**
 * What a bidder may see (WITHHELD_FROM_BIDDERS): everything, or no user id, a truncated address and the page without its
 * query.
 */
export const withhold = <T extends Shareable>(context: T, verdict: Verdict): T =>
  verdict === null
    ? context
    : {
        ...context,
        userHash: '',
        ip: context.ip === null ? null : truncateAddress(context.ip),
        pageUrl: context.pageUrl === null ? null : withoutQuery(context.pageUrl),
      };

/** Without query, fragment, user name and password. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1');
