import type { Bid } from '../../bidders/bidder-port.ts';
import { vastOfBid } from '../../bidders/openrtb/vast-of-bid.ts';
import { isVideo, type Creative } from '../../catalog/model/entities.ts';
import type { Addresses } from '../../creative/absolute-address.ts';
import { composeMarkup } from '../../creative/compose-markup.ts';
import { composeVideo, type Showing } from '../../creative/vast/compose-vast.ts';
import type { AdSize } from '../../decision/ad-query.ts';

/**
 * The markup of an ad: that of its creative, or of a bid. A bidder's VAST has our reports beside those of the bidder.
 *
 * @param counter counts a click on a creative and redirects
 */
export const markupOf = (
  creative: Creative,
  bid: Bid | undefined,
  size: AdSize,
  showing: Showing,
  addresses: Addresses,
  counter?: string,
): string => {
  const { id, content, clickUrl } = creative;
  if (!isVideo(content)) return bid ? bid.adm : composeMarkup({ content, clickUrl }, size, addresses, counter);
  return bid
    ? vastOfBid(bid, { creativeId: id, format: content.format }, showing, addresses)
    : composeVideo(creative, content, showing, addresses);
};
