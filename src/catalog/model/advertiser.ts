import type { ADVERTISER } from '../entities/advertiser.ts';
import type { MembersOf } from '../entities/field.ts';

/** Who pays for campaigns. */
export interface Advertiser extends MembersOf<(typeof ADVERTISER)['fields']> {
  readonly traits: AdvertiserTraits;
}

/** Advertisers that are not shown in a place. Labels are in lower case. */
export interface AdvertiserBlock {
  readonly ids: readonly number[];
  /** One of them is enough. */
  readonly labels: readonly string[];
}

/** Whose line items an impression does not take. */
export interface AdvertiserBlocks {
  readonly publisher: AdvertiserBlock;
  readonly placement: AdvertiserBlock;
}

/** What exclusions read of an advertiser. Labels are in lower case. */
export interface AdvertiserTraits {
  readonly labels: readonly string[];
  /** A page has one ad of it at most. */
  readonly exclusive: boolean;
  /** No page has ads of two advertisers that share one. */
  readonly exclusionLabels: readonly string[];
}

interface Blocking {
  readonly blockedAdvertisers: AdvertiserBlock;
}

/** What an impression of a placement of a publisher does not take. */
export const blocksOf = (publisher: Blocking, placement: Blocking): AdvertiserBlocks => ({
  publisher: publisher.blockedAdvertisers,
  placement: placement.blockedAdvertisers,
});

export const NO_TRAITS: AdvertiserTraits = { labels: [], exclusive: false, exclusionLabels: [] };

/** Those of an advertiser that a publisher shows: one that shows each once at most treats it as exclusive. */
export const traitsOf = (
  advertiser: Pick<Advertiser, 'traits'> | undefined,
  { onePerAdvertiser }: { readonly onePerAdvertiser: boolean },
): AdvertiserTraits => {
  const { traits = NO_TRAITS } = advertiser ?? {};
  return advertiser && onePerAdvertiser && !traits.exclusive ? { ...traits, exclusive: true } : traits;
};

interface Advertised {
  readonly advertiserId: number | null;
  readonly traits: AdvertiserTraits;
}

/** Who does not show the advertiser of a campaign, in words; undefined: it may be shown. */
export const advertiserBlockOf = ({ advertiserId, traits }: Advertised, blocks: AdvertiserBlocks): string | undefined => {
  if (advertiserId === null) return undefined;
  for (const owner of ['publisher', 'placement'] as const) {
    const { ids, labels } = blocks[owner];
    if (ids.includes(advertiserId)) return `the ${owner} blocks the advertiser`;
    const label = labels.length === 0 ? undefined : traits.labels.find((one) => labels.includes(one));
    if (label !== undefined) return `the ${owner} blocks advertisers with the label ${label}`;
  }
  return undefined;
};
