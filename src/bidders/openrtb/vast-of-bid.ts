import type { VideoContent } from '../../catalog/model/entities.ts';
import { wrapperOf } from '../../catalog/model/video-ad.ts';
import type { Addresses } from '../../creative/absolute-address.ts';
import { composeVideo, type Showing } from '../../creative/vast/compose-vast.ts';
import { vastLinks } from '../../creative/vast/vast-ad.ts';
import type { ReadBid } from '../bidder-port.ts';
import { withReports } from './vast-markup.ts';

/** What a bid answers for. */
export interface BidFor extends Pick<VideoContent, 'format'> {
  /** Of the row of its line item. */
  readonly creativeId: number;
}

/** The document of a bid with the reports of ours: that of its bidder, or a Wrapper around the address of it. */
export const vastOfBid = (
  { adm, tag }: Pick<ReadBid, 'adm' | 'tag'>,
  { creativeId, format }: BidFor,
  showing: Showing,
  addresses: Addresses,
): string =>
  tag === null
    ? withReports(adm, vastLinks(showing.base, showing.token))
    : composeVideo({ id: creativeId, clickUrl: null, advertiserDomain: null }, { format, video: wrapperOf(tag) }, showing, addresses);
