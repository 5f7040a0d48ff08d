import { isDeepStrictEqual } from 'node:util';
import type { SharedCap } from '../model/catalog-reading.ts';
import type { Campaign } from '../model/entities.ts';
import { NO_SHARED_COUNTS, type SharedCount } from '../model/frequency-caps.ts';
import { editionWith } from './inherited.ts';

type Named = Pick<Campaign, 'id' | 'publisherId' | 'advertiserId'>;

/**
 * What is counted of the ads of a campaign: what a cap of one of its line items counts of it, and
 * what those of its advertiser count of all of them: the same campaign where that is what it has. An advertiser that is not known has one campaign.
 */
export const countedForCaps = (caps: readonly SharedCap[]): ((campaign: Campaign) => Campaign) => {
  const countsOf = countsByCampaign(caps);
  return (campaign) => {
    const counted = countsOf(campaign);
    // What replicas have reserved before does not count for a user: it is another edition.
    return isDeepStrictEqual(campaign.counted, counted)
      ? campaign
      : { ...campaign, counted, edition: editionWith(campaign.edition, counted) };
  };
};

const countsByCampaign = (caps: readonly SharedCap[]): ((campaign: Named) => readonly SharedCount[]) => {
  const counts = new Map<string, Map<string, SharedCount>>();
  for (const { scope, of, windowMs, ...campaign } of caps) {
    const owner = scope === 'campaign' || campaign.advertiserId === null ? ofCampaign(campaign.campaignId) : ofAdvertiser(campaign);
    const known = counts.get(owner) ?? new Map<string, SharedCount>();
    counts.set(owner, known);
    const key = `${scope} ${of}`;
    known.set(key, { scope, of, windowMs: Math.max(windowMs, known.get(key)?.windowMs ?? 0) });
  }
  if (counts.size === 0) return () => NO_SHARED_COUNTS;
  return (campaign) => [
    ...(counts.get(ofCampaign(campaign.id))?.values() ?? []),
    ...(campaign.advertiserId === null ? [] : (counts.get(ofAdvertiser(campaign))?.values() ?? [])),
  ];
};

const ofCampaign = (id: number): string => `campaign ${id}`;
const ofAdvertiser = ({ publisherId, advertiserId }: Pick<Campaign, 'publisherId' | 'advertiserId'>): string =>
  `advertiser ${publisherId} ${advertiserId}`;
