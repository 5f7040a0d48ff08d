import type { Bid } from '../../bidders/bidder-port.ts';
import type { DsaAnswer, DsaRequest } from '../../bidders/openrtb/dsa.ts';
import { IAB_3_0 } from '../../catalog/model/block-list.ts';
import type { Creative } from '../../catalog/model/entities.ts';

/** What a bid says of its advertiser. */
export interface AdvertiserFields {
  readonly adomain?: readonly string[];
  readonly cat?: readonly string[];
  /** The taxonomy of `cat`. */
  readonly cattax?: number;
}

/** As the bidder says; of a direct ad, as the advertiser is described. What is not known is left out. */
export const advertiserFields = ({ advertiserDomain, categories }: Creative, bid: Bid | undefined): AdvertiserFields => {
  const { adomain, cat, cattax } = bid ?? {
    adomain: advertiserDomain === null ? [] : [advertiserDomain],
    cat: categories,
    cattax: IAB_3_0,
  };
  return { ...(adomain.length > 0 && { adomain }), ...(cat.length > 0 && { cat, cattax }) };
};

/** OpenRTB's limit of the names. */
const MAX_NAME_LENGTH = 100;

/**
 * What the DSA (article 26) requires of a direct ad: for whom it is shown, and who pays. Without an
 * advertiser in the campaign, the domain of the creative is used for both; undefined: none is known.
 *
 * Prebid Server refuses every bid of an ad that does not show it (`adrender` 0) on a page that cannot
 * either, so there the field is left out. Where the information is required, direct ads do not bid.
 */
export const ownDsa = ({ disclosure: [behalf, paid], advertiserDomain }: Creative, asked: DsaRequest): DsaAnswer | undefined => {
  const name = behalf ?? advertiserDomain ?? undefined;
  return name === undefined
    ? undefined
    : {
        ...{ behalf: name.slice(0, MAX_NAME_LENGTH), paid: (paid ?? name).slice(0, MAX_NAME_LENGTH) },
        ...(asked.pubrender !== 0 && { adrender: 0 }),
      };
};
