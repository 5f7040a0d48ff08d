import { isWithinDomains } from '../../base/is-within-domains.ts';
import { parseUrl } from '../../base/parse-url.ts';
import type { BidderCall } from '../calls/group-invitations.ts';

/**
 * Whether the bidder of a call may have a notice sent to a URL: to its endpoint's host, and to the
 * hosts listed for the line items with their subdomains. Otherwise one ad request could be turned
 * into requests to servers that have nothing to do with it.
 */
export const mayNotify = ({ bidder, noticeHosts }: Pick<BidderCall, 'bidder' | 'noticeHosts'>): ((url: string) => boolean) => {
  const own = hostOf(bidder.endpoint);
  return (url) => {
    const host = hostOf(url);
    return host !== undefined && (host === own || isWithinDomains(host, noticeHosts));
  };
};

const hostOf = (url: string): string | undefined => parseUrl(url)?.hostname;
